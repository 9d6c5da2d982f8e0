"""Greedy decoding with a cache, compared with running the whole model for every token."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID
from core.decoding.greedy import greedy_decode
from core.decoding.incremental_decoder import IncrementalDecoder
from core.errors import UserError
from tests.core.decoding.reference import eager_to_end, greedy_without_cache, next_logits
from tests.core.model.builders import MAX_POSITIONS, VARIANTS, padded, small_model
from tests.record_calls import record_calls

sentences = st.lists(st.lists(st.integers(4, 10), max_size=8).map(lambda ids: [*ids, EOS_ID]), min_size=1, max_size=5)


@settings(max_examples=40, deadline=None)
@given(sentences, st.sampled_from(VARIANTS), st.integers(0, 10**6), st.integers(1, MAX_POSITIONS))
def test_greedy_decoding_equals_decoding_without_a_cache(
    sources: list[list[int]], variant: dict[str, Any], seed: int, max_length: int
) -> None:
    model = eager_to_end(small_model(seed, torch.float64, **variant))
    src = padded(sources)
    decoded = greedy_decode(model, src, src != PAD_ID, max_length=max_length)
    assert decoded == [greedy_without_cache(model, source, max_length) for source in sources]


def test_sentences_end_at_different_steps_and_stay_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """The batch shrinks when a quarter of it has ended, and still gives the outputs of single sentences."""
    model = eager_to_end(small_model(seed=11))
    generator = torch.Generator().manual_seed(0)
    src = torch.randint(4, 11, (64, 7), generator=generator)
    mask = torch.ones_like(src, dtype=torch.bool)
    steps = record_calls(monkeypatch, IncrementalDecoder, "step")
    together = greedy_decode(model, src, mask, max_length=20)
    lengths = [len(one.produced) for one in together]
    assert len(set(lengths)) > 3
    fractions = [
        sum(length > position for length in lengths) / len(newest) for position, (_, newest) in enumerate(steps)
    ]
    assert len(steps) == max(lengths) and min(fractions) > 0.75 and fractions.count(1.0) < len(steps)
    assert len({tuple(one.tokens) for one in together}) > 10
    assert together == [greedy_decode(model, src[i : i + 1], mask[i : i + 1], max_length=20)[0] for i in range(64)]


@pytest.mark.parametrize("prefix", [[7], [7, 4, 12], [5, EOS_ID]])
def test_decoding_continues_from_a_prefix(prefix: list[int]) -> None:
    model, sources = eager_to_end(small_model(3, torch.float64)), [[4, 5, 6, EOS_ID], [9, EOS_ID]]
    src = padded(sources)
    for source, decoded in zip(
        sources, greedy_decode(model, src, src != PAD_ID, max_length=9, prefix=prefix), strict=True
    ):
        assert decoded.produced[: len(prefix)] == prefix
        assert decoded == greedy_without_cache(model, source, 9, prefix)


def test_pad_and_bos_are_never_produced() -> None:
    model = small_model()
    with torch.no_grad():
        model.output.bias[[PAD_ID, BOS_ID]] = 100.0
    src = torch.tensor([[4, 5, EOS_ID]])
    (decoded,) = greedy_decode(model, src, src != PAD_ID, max_length=8)
    assert decoded.tokens and not {PAD_ID, BOS_ID} & set(decoded.tokens)


def test_a_model_in_training_is_left_in_training_and_decodes_without_dropout() -> None:
    model = small_model(dropout=0.5)
    src = torch.tensor([[4, 5, 6, 7, EOS_ID]])
    expected = greedy_decode(model, src, src != PAD_ID, max_length=12)
    state = torch.get_rng_state()
    decoded = greedy_decode(model.train(), src, src != PAD_ID, max_length=12)
    assert decoded == expected
    assert model.training
    assert torch.equal(torch.get_rng_state(), state), "decoding must not touch the training's random stream"


def test_the_model_can_be_trained_after_decoding() -> None:
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


def test_bfloat16_tokens_have_the_highest_logit_within_rounding() -> None:
    """With a cache, sums are rounded differently: of two nearly equal tokens, either may be chosen."""
    model, sources = eager_to_end(small_model(15).to(torch.bfloat16)), [[4, 5, EOS_ID], [6, EOS_ID]]
    src = padded(sources)
    for source, decoded in zip(sources, greedy_decode(model, src, src != PAD_ID, max_length=9), strict=True):
        assert decoded.finished or len(decoded.tokens) == 9
        for index, token in enumerate(decoded.produced):
            logits = next_logits(model, source, decoded.tokens[:index])
            assert logits[token] >= logits.max() - 0.125  # four steps of bfloat16 in the range from 4 to 8
