"""The overview of a corpus, compared with counts by hand."""

from __future__ import annotations

import pytest

from core.config import RunConfig
from core.data.prepared_data import PreparedData
from core.overview import overview as module
from core.overview.overview import summarise_data
from core.overview.records import DataOverview, Leak, Repeats
from core.settings.overriding import change_setting


@pytest.fixture(scope="module")
def overview(data: PreparedData, config: RunConfig) -> DataOverview:
    """The final overview."""
    return list(summarise_data(data, config))[-1]


def test_lengths_are_of_all_pairs_and_tokens_of_those_that_fit(overview: DataOverview) -> None:
    train = overview.splits["train"]
    assert (train.num_pairs, train.num_left_out) == (3, 1)
    assert train.src.lengths.tolist() == [0, 0, 0, 3, 0, 0, 1]
    assert train.tgt.lengths.tolist() == [0, 0, 0, 2, 2]
    assert (train.src.limit, train.src.num_tokens, train.src.num_unknown) == (5, 6, 0)


def test_unknown_tokens_are_counted_and_named(overview: DataOverview) -> None:
    valid = overview.splits["valid"]
    assert (valid.src.num_tokens, valid.src.num_unknown, dict(valid.src.unknown)) == (6, 2, {"the": 1, "emu": 1})
    assert (valid.tgt.num_tokens, valid.tgt.num_unknown) == (8, 3)
    assert dict(overview.splits["test"].tgt.unknown) == {"vogel": 1}


def test_unknown_tokens_of_left_out_pairs_are_not_named(data: PreparedData, config: RunConfig) -> None:
    last = list(summarise_data(data, change_setting(config, "dataset.max_tgt_length", 3)))[-1]
    valid = last.splits["valid"]
    assert (valid.num_left_out, valid.src.num_unknown, dict(valid.src.unknown)) == (2, 2, {"the": 1, "emu": 1})
    assert (valid.tgt.num_unknown, dict(valid.tgt.unknown)) == (2, {"der": 1, "emu": 1})


def test_repeats_and_leaks_do_not_count_overlong_pairs(overview: DataOverview) -> None:
    assert overview.repeats == Repeats(num_pairs=1, most_frequent=(("a dog", 2),))
    assert overview.leaks == {
        "valid": Leak(num_sources=3, sources_in_train=2, pairs_in_train=1, examples=("a cat", "a dog")),
        "test": Leak(num_sources=1, sources_in_train=0, pairs_in_train=0, examples=()),
    }
    assert overview.test_in_valid == 0


def test_padding_is_that_of_the_batches(overview: DataOverview, data: PreparedData, config: RunConfig) -> None:
    assert overview.padding == pytest.approx(2 / 21)  # targets of 3, 3 and 4 tokens in one batch
    assert not overview.is_padding_sampled
    single = next(summarise_data(data, change_setting(config, "training.batch_size", 1)))
    assert single.padding == 0.0


def test_the_overview_is_made_in_pieces_with_their_stages(
    data: PreparedData, config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHUNK", 2)
    stages = [overview.stage for overview in summarise_data(data, config)]
    assert stages[-3:] == [
        "repeats and leaks, 2 of 3 train pairs",
        "repeats and leaks, 3 of 3 train pairs",
        "",
    ]


def test_limits_that_leave_out_every_pair_give_an_empty_overview(data: PreparedData, config: RunConfig) -> None:
    last = list(summarise_data(data, change_setting(config, "dataset.max_src_length", 2)))[-1]
    assert (last.splits["train"].num_pairs, last.padding, last.stage) == (0, 0.0, "")
