"""Batches: every pair once per epoch, padded on the right, resumable at any step."""

import json
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice, pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from core.config import TrainingConfig
from core.data import batching
from core.data.batch import Batch
from core.data.batch_plan import plan_batches
from core.data.batching import TrainBatches, eval_batches, make_batch
from core.data.token_arrays import PairArrays, TokenArrays, source_arrays, target_arrays
from core.plugins_host.host import PluginHost
from tests.core.data.conftest import Prepare, flat_ids
from tests.record_calls import record_calls

KINDS = [{"batch_size": 7}, {"batch_tokens": 24}]
Row = tuple[tuple[int, ...], tuple[int, ...]]  # the ids of a source and its target


def rows(batch: Batch) -> list[Row]:
    return [
        (tuple(src[src_mask].tolist()), tuple(tgt[tgt_mask].tolist()))
        for src, src_mask, tgt, tgt_mask in zip(
            batch.src, batch.src_mask, batch.tgt_output, batch.tgt_mask, strict=True
        )
    ]


def same(one: Batch, other: Batch) -> bool:
    return torch.equal(one.src, other.src) and torch.equal(one.tgt_output, other.tgt_output)


LENGTHS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40)
KIND = st.one_of(
    st.builds(lambda size: TrainingConfig(batch_size=size), st.integers(1, 50)),
    st.builds(lambda size: TrainingConfig(batch_size=None, batch_tokens=size), st.integers(1, 60)),
)


def pairs_of_lengths(lengths: list[tuple[int, int]]) -> PairArrays:
    """Pairs of these lengths, whose tokens are 4 plus the index of their pair."""
    sources = [[4 + index] * src for index, (src, _) in enumerate(lengths)]
    targets = [[4 + index] * tgt for index, (_, tgt) in enumerate(lengths)]
    return PairArrays(
        source_arrays(flat_ids(sources), list(map(len, sources))),
        target_arrays(flat_ids(targets), list(map(len, targets))),
    )


@example([(3, 3)] * 8, TrainingConfig(batch_size=None, batch_tokens=16), Random(0))  # 4 are just within the size
@given(LENGTHS, KIND, st.randoms(use_true_random=False))
def test_a_plan_has_every_pair_once_and_its_batches_are_full(
    lengths: list[tuple[int, int]], training: TrainingConfig, random: Random
) -> None:
    pairs, order = pairs_of_lengths(lengths), list(range(len(lengths)))
    random.shuffle(order)
    plan = plan_batches(pairs, np.array(order), training)
    assert sorted(np.concatenate(plan).tolist()) == sorted(order)

    def fits(indices: list[int]) -> bool:
        if training.batch_size is not None:
            return len(indices) <= training.batch_size
        assert training.batch_tokens is not None
        return len(indices) == 1 or len(indices) * int(pairs.tgt_lengths[indices].max()) <= training.batch_tokens

    assert all(fits(indices.tolist()) for indices in plan)
    assert not any(fits([*indices.tolist(), following[0]]) for indices, following in pairwise(plan))


@given(LENGTHS, st.data())
def test_a_batch_holds_its_pairs_and_nothing_else(lengths: list[tuple[int, int]], data: st.DataObject) -> None:
    indices = data.draw(st.lists(st.integers(0, len(lengths) - 1), min_size=1, max_size=9))
    batch = make_batch(pairs_of_lengths(lengths), np.array(indices))
    longest_src, longest_tgt = (max(lengths[index][side] for index in indices) + 1 for side in (0, 1))
    assert batch.src.shape == batch.src_mask.shape == (len(indices), longest_src)
    assert batch.tgt_input.shape == batch.tgt_output.shape == batch.tgt_mask.shape == (len(indices), longest_tgt)
    assert {batch.src.dtype, batch.tgt_input.dtype, batch.tgt_output.dtype} == {torch.int64}
    assert {batch.src_mask.dtype, batch.tgt_mask.dtype} == {torch.bool}
    assert all(part.is_contiguous() for part in (batch.src, batch.tgt_input, batch.tgt_output, batch.tgt_mask))
    expected = [((4 + i,) * lengths[i][0] + (2,), (4 + i,) * lengths[i][1] + (2,)) for i in indices]
    assert rows(batch) == expected
    assert not batch.src[~batch.src_mask].any()


def test_batches_by_tokens_have_little_padding() -> None:
    random = np.random.default_rng(0)
    lengths = [(int(length), int(length)) for length in random.integers(1, 60, 5000)]
    pairs = pairs_of_lengths(lengths)
    plan = plan_batches(pairs, random.permutation(5000), TrainingConfig(batch_size=None, batch_tokens=1000))
    padded = sum(len(indices) * int(pairs.tgt_lengths[indices].max()) for indices in plan)
    assert pairs.tgt_lengths.sum() / padded > 0.98
    assert padded / len(plan) > 950, "batches are not full"


def test_batches_with_sides_of_different_length_have_little_padding() -> None:
    random = np.random.default_rng(0)
    src = np.clip(random.lognormal(2.6, 0.4, 20_000), 2, 60)
    tgt = np.clip(src * random.lognormal(0.0, 0.2, len(src)), 2, 60)
    pairs = pairs_of_lengths([(int(one), int(other)) for one, other in zip(src, tgt, strict=True)])
    plan = plan_batches(pairs, random.permutation(len(pairs)), TrainingConfig(batch_size=None, batch_tokens=8192))
    sides = pairs.src.lengths, pairs.tgt_lengths
    padded = sum(len(indices) * int(side[indices].max()) for indices in plan for side in sides)
    assert sum(side.sum() for side in sides) / padded > 0.9


@pytest.mark.parametrize("longest", [50, 300, 100_000])
@pytest.mark.parametrize("count", [0, 1, 3000])
def test_pairs_of_equal_length_keep_their_order(longest: int, count: int) -> None:
    random = np.random.default_rng(0)
    no_ids, starts = np.zeros(0, dtype=np.int32), np.zeros(count, dtype=np.int64)
    src, tgt = (TokenArrays(no_ids, starts, random.integers(2, longest, count)) for _ in range(2))
    pairs, order = PairArrays(src, tgt), random.permutation(count)
    plan = plan_batches(pairs, order, TrainingConfig(batch_size=None, batch_tokens=10**6))
    longer = np.maximum(src.lengths, pairs.tgt_lengths)
    assert np.array_equal([*chain(*plan)], order[np.lexsort((pairs.tgt_lengths[order], longer[order]))])


def test_a_single_pair_makes_batches_without_end(prepare: Prepare) -> None:
    batches = TrainBatches(prepare(options={"count": 1}), TrainingConfig(), 0, None)
    first = next(batches)
    assert len(first.src) == 1
    assert all(same(first, batch) for batch in islice(batches, 3))
    assert batches.epoch == 4.0


@pytest.mark.parametrize("kind", KINDS)
def test_an_epoch_is_planned_once_and_has_every_pair_once(
    prepare: Prepare, kind: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    data, plans = prepare(), record_calls(monkeypatch, batching, "plan_batches")
    batches = TrainBatches(data, TrainingConfig.model_validate(kind), 0, None)
    assert batches.epoch == 0.0
    seen = list[Row]()
    while not seen or batches.epoch % 1:
        seen += rows(next(batches))
    assert len(plans) == 1
    expected = [data.pair("train", index) for index in range(40)]
    encoded = [
        (tuple(data.encode_source(pair.source)[0]), (*data.tgt_vocabulary.ids(pair.target.split()), 2))
        for pair in expected
    ]
    assert sorted(seen) == sorted(encoded)


def test_the_decoder_input_is_its_output_shifted_right(prepare: Prepare) -> None:
    batch = next(TrainBatches(prepare(), TrainingConfig(batch_size=16), 0, None))
    assert (batch.tgt_input[:, 0] == 1).all()
    reads_on = batch.tgt_mask[:, 1:]
    assert torch.equal(batch.tgt_input[:, 1:][reads_on], batch.tgt_output[:, :-1][reads_on])
    assert (batch.tgt_input[~batch.tgt_mask] == 0).all()
    assert (batch.tgt_output[~batch.tgt_mask] == 0).all()
    assert batch.num_target_tokens == int(batch.tgt_mask.sum())
    last = batch.tgt_mask.sum(1) - 1
    assert (batch.tgt_output[torch.arange(16), last] == 2).all()


def test_batches_by_tokens_stay_within_their_size(prepare: Prepare) -> None:
    for batch in islice(TrainBatches(prepare(), TrainingConfig.model_validate(KINDS[1]), 0, None), 50):
        assert batch.tgt_output.numel() <= 24


def test_epochs_are_shuffled_by_the_seed(prepare: Prepare) -> None:
    data = prepare()

    def first_two_epochs(seed: int) -> list[Batch]:
        return list(islice(TrainBatches(data, TrainingConfig(batch_size=10), seed, None), 8))

    first, same_seed, other_seed = first_two_epochs(0), first_two_epochs(0), first_two_epochs(1)
    assert all(map(same, first, same_seed))
    assert not all(map(same, first, other_seed))
    assert not all(map(same, first[:4], first[4:]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stop", [0, 1, 5, 17])
def test_resuming_gives_the_same_batches_as_never_stopping(prepare: Prepare, kind: dict[str, int], stop: int) -> None:
    data, training = prepare(), TrainingConfig.model_validate(kind)
    expected = list(islice(TrainBatches(data, training, 3, None), 30))
    first = TrainBatches(data, training, 3, None)
    list(islice(first, stop))
    second = TrainBatches(data, training, 3, None)
    second.restore(json.loads(json.dumps(first.state())))
    assert second.epoch == first.epoch
    assert all(map(same, islice(second, 30 - stop), expected[stop:]))


def test_endless_data_resumes_in_the_middle_of_a_shard(prepare: Prepare, host: PluginHost) -> None:
    data = prepare("copy_task", options={"num_symbols": 5, "min_length": 2, "max_length": 4})
    training = TrainingConfig(batch_size=3000)
    uninterrupted, first, second = (TrainBatches(data, training, 0, host) for _ in range(3))
    expected = list(islice(uninterrupted, 9))
    list(islice(first, 5))
    second.restore(first.state())
    assert all(map(same, islice(second, 4), expected[5:]))
    assert first.epoch == 1.25
    assert not same(expected[0], expected[4]), "two shards have the same data"
    for batches in (uninterrupted, first, second):
        batches.close()


@pytest.mark.parametrize(("start", "drawn"), [(0, {9: [], 10: [1], 99: [1], 100: [1, 2]}), (95, {0: [1], 5: [1, 2]})])
def test_the_next_shard_is_drawn_ahead_after_a_tenth_of_the_first(
    prepare: Prepare, host: PluginHost, monkeypatch: pytest.MonkeyPatch, start: int, drawn: dict[int, list[int]]
) -> None:
    data = prepare("copy_task", options={"num_symbols": 5, "min_length": 2, "max_length": 4})
    batches, started = TrainBatches(data, TrainingConfig(batch_size=100), 0, host), list[int]()
    submit = ThreadPoolExecutor.submit  # each shard is drawn in a separate thread

    def submitted(self: ThreadPoolExecutor, draw: Any, shard: int) -> Any:
        started.append(shard)
        return submit(self, draw, shard)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", submitted)
    batches.restore({"round": 0, "next": start, "num_batches": 100})
    for count in range(max(drawn) + 1):
        next(batches)
        assert started == drawn.get(count, started), count
    batches.close()


def test_evaluation_batches_have_every_pair_once(prepare: Prepare) -> None:
    data = prepare()
    rows_by_index = dict[int, Row]()
    for indices, batch in eval_batches(data, "valid", 20):
        rows_by_index |= dict(zip(indices.tolist(), rows(batch), strict=True))
    assert [rows_by_index[index][0] for index in range(6)] == [
        tuple(data.encode_source(data.pair("valid", index).source)[0]) for index in range(6)
    ]
    assert sum(len(indices) for indices, _ in eval_batches(data, "valid", 20, limit=4)) == 4


def test_evaluation_batches_count_long_sources_of_short_targets(
    prepare: Prepare, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, pairs = prepare(), pairs_of_lengths([(9, 0)] * 6 + [(2, 8)])
    monkeypatch.setattr(type(data), "split", lambda *_: pairs)
    batches = [batch for _, batch in eval_batches(data, "valid", 20)]
    assert sum(len(batch.src) for batch in batches) == 7
    assert all(max(batch.src.numel(), batch.tgt_output.numel()) <= 20 for batch in batches)
