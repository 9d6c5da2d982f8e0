"""Greedy decoding over a cache against the whole model run again for every token."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID
from core.decoding.greedy import greedy_decode
from core.errors import UserError
from core.model.transformer import Transformer
from tests.core.model.builders import MAX_POSITIONS, TGT_VOCAB, VARIANTS, padded, small_model

sentences = st.lists(st.lists(st.integers(4, 10), max_size=8).map(lambda ids: [*ids, EOS_ID]), min_size=1, max_size=9)


def eager_to_end(model: Transformer) -> Transformer:
    """An untrained model that ends some sentences early: sharper logits, and a head start for `<eos>`."""
    with torch.no_grad():
        model.output.weight *= 3.0
        if model.output.bias is not None:
            model.output.bias[EOS_ID] += 3.0
    return model


def decode_without_cache(model: Transformer, src: list[int], max_length: int) -> tuple[list[int], bool, Tensor]:
    """Tokens, whether <eos> came, and each step's probabilities: one sentence, the whole prefix at every step."""
    ids = torch.tensor([src])
    mask = torch.ones_like(ids, dtype=torch.bool)
    prefix, probabilities = [BOS_ID], []
    while len(prefix) <= max_length:
        tgt_input = torch.tensor([prefix])
        logits = model(ids, tgt_input, mask, torch.ones_like(tgt_input, dtype=torch.bool))[0, -1]
        logits[[PAD_ID, BOS_ID]] = -torch.inf
        probabilities.append(logits.softmax(-1))
        prefix.append(int(logits.argmax()))
        if prefix[-1] == EOS_ID:
            return prefix[1:-1], True, torch.stack(probabilities)
    return prefix[1:], False, torch.stack(probabilities)


@settings(max_examples=60, deadline=None)
@given(sentences, st.sampled_from(VARIANTS), st.integers(0, 10**6), st.integers(1, MAX_POSITIONS))
def test_equals_decoding_without_a_cache(
    sources: list[list[int]], variant: dict[str, Any], seed: int, max_length: int
) -> None:
    model = eager_to_end(small_model(seed, torch.float64, **variant))
    src = padded(sources)
    decoded = greedy_decode(model, src, src != PAD_ID, max_length=max_length, num_alternatives=3)
    with torch.no_grad():
        expected = [decode_without_cache(model, source, max_length) for source in sources]
    assert decoded.tokens == [tokens for tokens, _, _ in expected]
    assert decoded.finished == [finished for _, finished, _ in expected]
    for row, (tokens, finished, probabilities) in enumerate(expected):
        chosen = [*tokens, EOS_ID] if finished else tokens
        best = probabilities.topk(3)
        own = probabilities[range(len(chosen)), chosen]
        np.testing.assert_allclose(decoded.probabilities[row], own.numpy(), atol=1e-6)
        np.testing.assert_allclose(decoded.alternative_probabilities[row], best.values.numpy(), atol=1e-6)
        assert decoded.alternative_ids[row][:, 0].tolist() == chosen


def test_sentences_end_at_different_steps_and_stay_in_order() -> None:
    """Here the batch really shrinks, and still equals its sentences one by one."""
    model = eager_to_end(small_model(seed=11))
    generator = torch.Generator().manual_seed(0)
    src = torch.randint(4, 11, (64, 7), generator=generator)
    mask = torch.ones_like(src, dtype=torch.bool)
    together = greedy_decode(model, src, mask, max_length=20)
    assert len({len(tokens) for tokens in together.tokens}) > 3
    assert len({tuple(tokens) for tokens in together.tokens}) > 10
    alone = [greedy_decode(model, src[i : i + 1], mask[i : i + 1], max_length=20).tokens[0] for i in range(64)]
    assert together.tokens == alone


def test_pad_and_bos_are_never_produced() -> None:
    model = small_model()
    with torch.no_grad():
        model.output.bias[[PAD_ID, BOS_ID]] = 100.0
    src = torch.tensor([[4, 5, EOS_ID]])
    decoded = greedy_decode(model, src, src != PAD_ID, max_length=8, num_alternatives=50)
    assert not {PAD_ID, BOS_ID} & set(decoded.tokens[0])
    assert decoded.alternative_ids[0].shape[1] == TGT_VOCAB - 2
    assert not np.isin(decoded.alternative_ids[0], [PAD_ID, BOS_ID]).any()
    np.testing.assert_allclose(decoded.alternative_probabilities[0].sum(-1), 1.0, atol=1e-5)


def test_without_alternatives_there_are_none() -> None:
    src = torch.tensor([[4, 5, EOS_ID]])
    decoded = greedy_decode(small_model(), src, src != PAD_ID, max_length=4)
    assert decoded.probabilities[0].size == decoded.alternative_ids[0].size == 0


def test_a_model_in_training_is_left_in_training_and_decodes_without_dropout() -> None:
    model = small_model(dropout=0.5)
    src = torch.tensor([[4, 5, 6, 7, EOS_ID]])
    expected = greedy_decode(model, src, src != PAD_ID, max_length=12)
    state = torch.get_rng_state()
    again = greedy_decode(model.train(), src, src != PAD_ID, max_length=12)
    assert again.tokens == expected.tokens
    assert model.training
    assert torch.equal(torch.get_rng_state(), state), "decoding must not touch the training's random stream"


def test_decoding_leaves_the_model_able_to_learn() -> None:
    model = small_model()
    src = torch.tensor([[4, 5, EOS_ID]])
    greedy_decode(model, src, src != PAD_ID, max_length=4)
    mask = torch.ones_like(src, dtype=torch.bool)
    model.train()(src, src, mask, mask).sum().backward()
    assert model.output.weight.grad is not None


def test_more_steps_than_positions_are_refused() -> None:
    src = torch.tensor([[4, EOS_ID]])
    with pytest.raises(UserError, match=f"{MAX_POSITIONS} positions"):
        greedy_decode(small_model(), src, src != PAD_ID, max_length=MAX_POSITIONS + 1)


def test_decodes_in_bfloat16() -> None:
    src = torch.tensor([[4, 5, EOS_ID], [6, EOS_ID, PAD_ID]])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        decoded = greedy_decode(small_model(), src, src != PAD_ID, max_length=5, num_alternatives=2)
    assert all(len(tokens) <= 5 for tokens in decoded.tokens)
    assert np.isfinite(decoded.alternative_probabilities[0]).all()
