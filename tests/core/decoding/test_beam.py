"""Beam search in a batch, compared with a reference without cache or batch, and with all possible outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID
from core.decoding.beam import BeamSearchSettings, beam_decode, top_k
from core.decoding.greedy import greedy_decode
from core.decoding.hypothesis import ScoredHypothesis
from core.decoding.incremental_decoder import IncrementalDecoder
from core.model.transformer import Transformer
from tests.core.decoding.reference import beam_without_cache, best_first, eager_to_end, every_output
from tests.core.model.builders import MAX_POSITIONS, VARIANTS, padded, small_model
from tests.record_calls import record_calls

sentences = st.lists(st.lists(st.integers(4, 10), max_size=8).map(lambda ids: [*ids, EOS_ID]), min_size=1, max_size=5)
SOURCES = [[4, 5, 6, 7, 8, EOS_ID], [9, EOS_ID], [10, 4, 4, EOS_ID]]


def search(
    model: Transformer, sources: list[list[int]], beam_size: int, penalty: float, max_length: int, num_best: int
) -> list[list[ScoredHypothesis]]:
    src = padded(sources)
    settings = BeamSearchSettings(beam_size=beam_size, length_penalty=penalty, max_length=max_length, num_best=num_best)
    return beam_decode(model, src, src != PAD_ID, settings)


def assert_equal(found: Sequence[ScoredHypothesis], expected: Sequence[ScoredHypothesis]) -> None:
    assert [(one.tokens, one.finished) for one in found] == [(one.tokens, one.finished) for one in expected]
    assert [one.score for one in found] == pytest.approx([one.score for one in expected], abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(
    sentences,
    st.sampled_from(VARIANTS),
    st.integers(0, 10**6),
    st.integers(2, 6),
    st.sampled_from([0.0, 0.6, 2.0]),
    st.integers(1, 12),
)
def test_beam_search_equals_the_reference(
    sources: list[list[int]], variant: dict[str, Any], seed: int, beam_size: int, penalty: float, max_length: int
) -> None:
    model = eager_to_end(small_model(seed, torch.float64, **variant))
    found = search(model, sources, beam_size, penalty, max_length, num_best=beam_size)
    for hypotheses, source in zip(found, sources, strict=True):
        assert_equal(hypotheses, beam_without_cache(model, source, beam_size, penalty, max_length))


@settings(max_examples=40, deadline=None)
@given(sentences, st.sampled_from(VARIANTS), st.integers(0, 10**6), st.integers(1, MAX_POSITIONS))
def test_a_beam_of_one_equals_greedy_decoding(
    sources: list[list[int]], variant: dict[str, Any], seed: int, max_length: int
) -> None:
    model, src = eager_to_end(small_model(seed, torch.float64, **variant)), padded(sources)
    greedy = greedy_decode(model, src, src != PAD_ID, max_length=max_length)
    found = search(model, sources, 1, 0.6, max_length, num_best=1)
    assert [(one.tokens, one.finished) for (one,) in found] == [(one.tokens, one.finished) for one in greedy]


def test_a_beam_with_room_for_all_hypotheses_finds_the_best_output() -> None:
    """With 6 tokens, there are 1 + 5 + 150 hypotheses of at most three tokens, including those cut off."""
    model = eager_to_end(small_model(seed=4, dtype=torch.float64, tgt_vocab=8))
    for source, penalty in zip(SOURCES, (0.0, 0.6, 3.0), strict=True):  # one at a time: a beam this wide is slow
        (hypotheses,) = search(model, [source], 156, penalty, 3, num_best=20)
        assert_equal(hypotheses, best_first(every_output(model, source, 3), penalty)[:20])


@pytest.mark.parametrize("penalty", [0.0, 0.6, 2.0])
def test_stopping_early_does_not_change_the_best_outputs(penalty: float) -> None:
    """If only the best outputs are requested, a sentence may stop early; they equal the first of the whole beam."""
    for seed in range(8):
        model = eager_to_end(small_model(seed, torch.float64))
        beams = search(model, SOURCES, 5, penalty, 20, num_best=5)
        for num_best in (1, 2):
            for hypotheses, beam in zip(search(model, SOURCES, 5, penalty, 20, num_best), beams, strict=True):
                assert_equal(hypotheses, beam[:num_best])


def test_a_sentence_stops_when_no_better_output_is_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that is certain to end at once takes a single step."""
    model = small_model()
    with torch.no_grad():
        model.output.bias[EOS_ID] = 50.0
    steps = record_calls(monkeypatch, IncrementalDecoder, "step")
    ((best,), *_) = search(model, SOURCES, 4, 0.6, 20, num_best=1)
    assert best.tokens == [] and len(steps) == 1


def test_a_prefix_restricts_the_outputs_without_changing_scores() -> None:
    """A beam with room for all hypotheses gives the best outputs with this prefix, with unchanged scores."""
    model, prefix = eager_to_end(small_model(seed=4, dtype=torch.float64)), (7, 5)
    src = padded(SOURCES)
    settings = BeamSearchSettings(beam_size=121, length_penalty=0.6, max_length=3, num_best=121, prefix=prefix)
    for hypotheses, source in zip(beam_decode(model, src, src != PAD_ID, settings), SOURCES, strict=True):
        candidates = [(ids, total) for ids, total in every_output(model, source, 3) if tuple(ids[:2]) == prefix]
        finished = [one for one in hypotheses if one.finished]
        assert all(tuple(one.tokens[:2]) == prefix for one in hypotheses)
        assert_equal(finished, best_first(candidates, 0.6))


def test_cut_outputs_come_after_finished_ones() -> None:
    model = eager_to_end(small_model(seed=2, dtype=torch.float64))
    are_finished = [[one.finished for one in found] for found in search(model, SOURCES, 6, 0.6, 2, num_best=6)]
    assert all(finished == sorted(finished, reverse=True) for finished in are_finished)
    assert any(True in finished and False in finished for finished in are_finished)


def test_a_batch_that_shrinks_equals_its_sentences_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """It shrinks when all hypotheses of a quarter of its sentences have ended."""
    model = eager_to_end(small_model(seed=17, dtype=torch.float64))
    sources = torch.randint(4, 11, (32, 7), generator=torch.Generator().manual_seed(0)).tolist()
    steps = record_calls(monkeypatch, IncrementalDecoder, "step")
    together = search(model, sources, 3, 0.6, 20, num_best=3)
    assert len({len(found[0].tokens) for found in together}) > 3
    lengths = [max(len(one.produced) for one in found) for found in together]
    fractions = [
        sum(length > position for length in lengths) / (len(newest) / 3) for position, (_, newest) in enumerate(steps)
    ]
    assert len(steps) == max(lengths) and min(fractions) > 0.75 and fractions.count(1.0) < len(steps)
    for source, found in zip(sources, together, strict=True):
        assert_equal(found, search(model, [source], 3, 0.6, 20, num_best=3)[0])


@settings(deadline=None)
@given(st.integers(1, 3), st.integers(1, 700), st.integers(1, 8), st.integers(0, 10**6))
def test_top_k_equals_torchs_topk(num_rows: int, length: int, k: int, seed: int) -> None:
    """Values repeat, and some are -inf: any index with an equal value is right."""
    generator = torch.Generator().manual_seed(seed)
    values = torch.randint(0, 1000, (num_rows, length), generator=generator).float()
    values[values < 100] = -torch.inf
    k = min(k, length)
    found, indices = top_k(values, k)
    assert torch.equal(found, values.topk(k).values)
    assert torch.equal(values.gather(1, indices), found)
    assert all(len(set(row)) == k for row in indices.tolist())


def test_pad_and_bos_are_never_produced() -> None:
    model = small_model()
    with torch.no_grad():
        model.output.bias[[PAD_ID, BOS_ID]] = 100.0
    for one in search(model, SOURCES, 4, 0.6, 8, num_best=4)[0]:
        assert not {PAD_ID, BOS_ID} & set(one.tokens)


def test_a_model_with_nan_weights_still_gives_an_output() -> None:
    """As in greedy decoding: a diverged run can still be asked for a translation."""
    model = small_model()
    with torch.no_grad():
        model.output.weight.fill_(torch.nan)
    assert len(search(model, SOURCES, 3, 0.6, 5, num_best=1)[0]) == 1


@pytest.mark.parametrize("beam_size", [2, 3, 4, 8])
def test_a_sentence_whose_logits_overflow_still_has_an_output(beam_size: int) -> None:
    """Diverging weights stay finite for some steps, but the logits of some sentences do not."""
    model = small_model()
    with torch.no_grad():
        model.src_embedding.tokens.weight[4] = torch.finfo(torch.float32).max
    sources = [[4, 5, EOS_ID], [6, 7, EOS_ID], [8, EOS_ID], [5, 6, 7, EOS_ID]]
    assert [len(found) for found in search(model, sources, beam_size, 0.6, 10, num_best=1)] == [1, 1, 1, 1]


def test_an_output_begins_with_a_prefix_whose_logits_overflow() -> None:
    model, src = small_model(), padded(SOURCES)
    with torch.no_grad():
        model.output.bias[[5, 7]] = -torch.inf
    settings = BeamSearchSettings(beam_size=3, length_penalty=0.6, max_length=4, num_best=1, prefix=(7, 5))
    assert [best.tokens[:2] for (best,) in beam_decode(model, src, src != PAD_ID, settings)] == [[7, 5]] * 3
