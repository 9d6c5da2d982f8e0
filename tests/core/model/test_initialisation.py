"""The statistics of a model's initial weights."""

import math

import pytest
import torch
from torch import Tensor

from core.config import ModelConfig
from core.model.transformer import Transformer
from core.model.weights import named_weights


def fresh(seed: int = 0, vocab: int = 300, **changes: object) -> Transformer:
    torch.manual_seed(seed)
    return Transformer(ModelConfig.model_validate(changes), vocab, vocab, 40)


def assert_xavier(weight: Tensor) -> None:
    bound = math.sqrt(6 / sum(weight.shape))
    assert weight.abs().max() <= bound
    assert weight.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.03)
    assert abs(weight.mean()) < 0.03 * bound


def test_every_matrix_of_a_layer_is_xavier_uniform_fused_ones_part_by_part() -> None:
    matrices = {name: w for name, w in named_weights(fresh()).items() if w.dim() == 2 and ".layers." in name}
    assert len(matrices) == 2 * 4 + 2 * 7
    for name, weight in matrices.items():
        parts = 3 if ".qkv." in name else 2 if ".kv." in name else 1
        for part in weight.chunk(parts):
            assert_xavier(part)


def test_biases_are_zero_and_norms_one() -> None:
    for name, weight in named_weights(fresh()).items():
        if weight.dim() == 1:
            expected = 1.0 if name.endswith("norm.weight") else 0.0
            assert (weight == expected).all(), name


@pytest.mark.parametrize("vocab", [11, 2000])
def test_scaled_embeddings_have_the_same_size_for_any_vocabulary(vocab: int) -> None:
    model = fresh(vocab=vocab, positions="learned", dropout=0.0)
    tokens = model.src_embedding(torch.arange(vocab).view(-1, 1)) - model.src_embedding.positions(1)
    assert tokens.std().item() == pytest.approx(0.3, rel=0.1)


def test_learned_positions_start_as_large_as_sinusoids() -> None:
    learned = fresh(positions="learned").src_embedding.positions(40)
    fixed = fresh().src_embedding.positions(40)
    assert learned.square().mean().sqrt().item() == pytest.approx(fixed.square().mean().sqrt().item(), rel=0.05)


@pytest.mark.parametrize("tie_embeddings", ["none", "decoder", "all"])
@pytest.mark.parametrize("vocab", [11, 300, 4000])
def test_the_initial_loss_is_near_that_of_guessing(tie_embeddings: str, vocab: int) -> None:
    model = fresh(vocab=vocab, tie_embeddings=tie_embeddings).eval()
    src, tgt = torch.randint(4, vocab, (2, 32, 10))
    mask = torch.ones_like(src, dtype=torch.bool)
    logits = model(src, tgt.roll(1, 1), mask, mask)
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tgt.flatten())
    assert abs(loss.item() - math.log(vocab)) < 0.3


def test_the_seed_determines_the_weights() -> None:
    first, same_seed, other_seed = (named_weights(fresh(seed)) for seed in (1, 1, 2))
    assert all(torch.equal(first[name], same_seed[name]) for name in first)
    assert not torch.equal(first["output.weight"], other_seed["output.weight"])
