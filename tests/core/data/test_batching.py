"""Batches: every pair once an epoch, padded right, resumable anywhere."""

from itertools import islice

import pytest
import torch

from core.config import TrainingConfig
from core.data.batching import Batch, TrainBatches, eval_batches
from core.plugins_host.host import PluginHost
from tests.core.data.conftest import Prepare

KINDS = [{"batch_size": 7}, {"batch_tokens": 24}]


def rows(batch: Batch) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [
        (tuple(src[src_mask].tolist()), tuple(tgt[tgt_mask].tolist()))
        for src, src_mask, tgt, tgt_mask in zip(
            batch.src, batch.src_mask, batch.tgt_output, batch.tgt_mask, strict=True
        )
    ]


def same(one: Batch, other: Batch) -> bool:
    return torch.equal(one.src, other.src) and torch.equal(one.tgt_output, other.tgt_output)


@pytest.mark.parametrize("kind", KINDS)
def test_an_epoch_has_every_pair_once(prepare: Prepare, kind: dict[str, int]) -> None:
    data = prepare()
    batches = TrainBatches(data, TrainingConfig.model_validate(kind), 0, None)
    seen = []
    while not seen or batches.epoch % 1:
        seen += rows(next(batches))
    expected = [data.pair("train", index) for index in range(40)]
    encoded = [
        (tuple(data.encode_source(pair.source)[0]), (*data.tgt_vocabulary.ids(pair.target.split()), 2))
        for pair in expected
    ]
    assert sorted(seen) == sorted(encoded)


def test_the_decoder_reads_what_it_wrote_one_place_later(prepare: Prepare) -> None:
    batch = next(TrainBatches(prepare(), TrainingConfig(batch_size=16), 0, None))
    assert (batch.tgt_input[:, 0] == 1).all()
    reads_on = batch.tgt_mask[:, 1:]
    assert torch.equal(batch.tgt_input[:, 1:][reads_on], batch.tgt_output[:, :-1][reads_on])
    assert (batch.tgt_input[~batch.tgt_mask] == 0).all()
    assert (batch.tgt_output[~batch.tgt_mask] == 0).all()
    assert batch.num_target_tokens == int(batch.tgt_mask.sum())
    last = batch.tgt_mask.sum(1) - 1
    assert (batch.tgt_output[torch.arange(16), last] == 2).all()


def test_token_batches_hold_no_more_than_they_may(prepare: Prepare) -> None:
    for batch in islice(TrainBatches(prepare(), TrainingConfig.model_validate(KINDS[1]), 0, None), 50):
        assert batch.tgt_output.numel() <= 24


def test_epochs_are_shuffled_by_the_seed(prepare: Prepare) -> None:
    data = prepare()

    def first_two_epochs(seed: int) -> list[Batch]:
        return list(islice(TrainBatches(data, TrainingConfig(batch_size=10), seed, None), 8))

    once, again, other = first_two_epochs(0), first_two_epochs(0), first_two_epochs(1)
    assert all(map(same, once, again))
    assert not all(map(same, once, other))
    assert not all(map(same, once[:4], once[4:]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stop", [0, 1, 5, 17])
def test_resuming_equals_never_having_stopped(prepare: Prepare, kind: dict[str, int], stop: int) -> None:
    data, training = prepare(), TrainingConfig.model_validate(kind)
    whole = list(islice(TrainBatches(data, training, 3, None), 30))
    first = TrainBatches(data, training, 3, None)
    list(islice(first, stop))
    second = TrainBatches(data, training, 3, None)
    second.restore(first.state())
    assert all(map(same, islice(second, 30 - stop), whole[stop:]))


def test_endless_data_resumes_in_the_middle_of_a_shard(prepare: Prepare, host: PluginHost) -> None:
    data = prepare("copy_task", options={"num_symbols": 5, "min_length": 2, "max_length": 4})
    training = TrainingConfig(batch_size=3000)
    whole, first, second = (TrainBatches(data, training, 0, host) for _ in range(3))
    expected = list(islice(whole, 9))
    list(islice(first, 5))
    second.restore(first.state())
    assert all(map(same, islice(second, 4), expected[5:]))
    assert first.epoch == 1.25
    assert not same(expected[0], expected[4]), "another shard is other data"
    for batches in (whole, first, second):
        batches.close()


def test_evaluating_meets_every_pair_once(prepare: Prepare) -> None:
    data = prepare()
    met = {}
    for indices, batch in eval_batches(data, "valid", 20):
        met |= dict(zip(indices.tolist(), rows(batch), strict=True))
    assert [met[index][0] for index in range(6)] == [
        tuple(data.encode_source(data.pair("valid", index).source)[0]) for index in range(6)
    ]
    assert sum(len(indices) for indices, _ in eval_batches(data, "valid", 20, limit=4)) == 4
