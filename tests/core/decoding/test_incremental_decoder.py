"""The incremental decoder, compared with the model's own pass over the whole target."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from core.decoding import cached_attention, linear_maps
from core.decoding.incremental_decoder import FIRST_OUTPUT_ID, IncrementalDecoder
from core.errors import UserError
from core.machine import onednn
from core.model.evaluation import evaluating
from core.model.transformer import Transformer
from tests.core.model.builders import MAX_POSITIONS, SRC_SENTENCES, VARIANTS, inputs_of, small_model, variant_name

TARGETS = torch.tensor([[1, 5, 6, 7, 8], [1, 9, 10, 11, 12], [1, 4, 4, 4, 4]])
SRC, _, SRC_MASK, _ = inputs_of(SRC_SENTENCES, [[1]] * 3)
every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)


@pytest.fixture(autouse=True, params=["ordinary products", "in batches", "packed"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Force each implementation of products and attention, on any processor and for small weights and batches.

    Only float32 weights are packed.
    """
    monkeypatch.setattr(linear_maps, "_MIN_LARGE_WEIGHT", 0)
    monkeypatch.setattr(cached_attention, "_MIN_QUERIES_FOR_BMM", 1 if request.param == "packed" else 1000)
    monkeypatch.setattr(linear_maps, "uses_mkl_on_amd", lambda: request.param == "in batches")
    if request.param == "packed":
        monkeypatch.setattr(linear_maps, "_MAX_FEW_ROWS", 0)
        monkeypatch.setattr(onednn, "is_worth_packing", onednn.can_multiply)
    else:
        monkeypatch.setattr(onednn, "is_worth_packing", lambda _: False)


def whole_pass(model: Transformer, targets: Tensor, sentences: Tensor) -> Tensor:
    """Logits of the tokens that can be produced after each position of targets [N, T]."""
    with evaluating(model):
        mask = torch.ones_like(targets, dtype=torch.bool)
        return model(SRC[sentences], targets, SRC_MASK[sentences], mask)[..., FIRST_OUTPUT_ID:]


@every_variant
def test_steps_equal_one_pass_over_the_whole_target(variant: dict[str, Any]) -> None:
    model = small_model(dtype=torch.float64, **variant)
    with evaluating(model):
        decoder = IncrementalDecoder(model, SRC, SRC_MASK, max_length=6)
        steps = [decoder.step(TARGETS[:, t]).clone() for t in range(5)]
    expected = whole_pass(model, TARGETS, torch.arange(3))
    torch.testing.assert_close(torch.stack(steps, 1), expected, rtol=0, atol=1e-12)


@every_variant
def test_float32_probabilities_are_accurate_to_a_millionth(variant: dict[str, Any]) -> None:
    """The batch has no padding, for which attention is implemented differently."""
    model = small_model(**variant)
    with evaluating(model):
        decoder = IncrementalDecoder(model, SRC[:1], SRC_MASK[:1], max_length=5)
        steps = [decoder.step(TARGETS[:1, t]).softmax(-1) for t in range(5)]
    expected = whole_pass(model, TARGETS[:1], torch.arange(1)).softmax(-1)
    torch.testing.assert_close(torch.stack(steps, 1), expected, rtol=0, atol=1e-6)


def test_sentences_keep_their_cache_when_others_leave() -> None:
    model = small_model(dtype=torch.float64)
    kept = torch.tensor([2, 0])
    with evaluating(model):
        decoder = IncrementalDecoder(model, SRC, SRC_MASK, max_length=5)
        for t in range(3):
            decoder.step(TARGETS[:, t])
        decoder.keep(kept)
        steps = [decoder.step(TARGETS[kept, t]).clone() for t in (3, 4)]
    torch.testing.assert_close(torch.stack(steps, 1), whole_pass(model, TARGETS[kept], kept)[:, 3:], rtol=0, atol=1e-12)


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-12), (torch.float32, 1e-5)], ids=["64", "32"])
def test_hypotheses_continue_from_the_cache_of_their_parents(dtype: torch.dtype, tolerance: float) -> None:
    """Three hypotheses per sentence with random parents; a sentence leaves in between."""
    model = small_model(dtype=dtype)
    generator = torch.Generator().manual_seed(0)
    sentences, histories = torch.arange(3), torch.empty(3, 3, 0, dtype=torch.int64)
    with evaluating(model):
        decoder = IncrementalDecoder(model, SRC, SRC_MASK, max_length=8, num_beams=3)
        for step in range(8):
            newest = torch.randint(2, 13, (len(sentences), 3, 1), generator=generator)
            histories = torch.cat([histories, newest], -1)
            logits = decoder.step(newest.flatten())
            expected = whole_pass(model, histories.flatten(0, 1), sentences.repeat_interleave(3))[:, -1]
            torch.testing.assert_close(logits, expected, rtol=0, atol=tolerance)
            parents = torch.randint(0, 3, (len(sentences), 3), generator=generator)
            decoder.reorder(parents)
            histories = histories.gather(1, parents[..., None].expand_as(histories))
            if step == 4:
                kept = torch.tensor([2, 1])
                decoder.keep(kept)
                sentences, histories = sentences[kept], histories[kept]


def test_more_steps_than_positions_are_refused() -> None:
    with pytest.raises(UserError, match=f"{MAX_POSITIONS} positions"):
        IncrementalDecoder(small_model(), SRC, SRC_MASK, max_length=MAX_POSITIONS + 1)
