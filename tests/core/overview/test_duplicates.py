"""Finding repeated pairs, and held-out pairs that are in the train split."""

from __future__ import annotations

from core.overview.duplicates import HeldOutPairs, TrainPairs
from core.plugin import Pair


def test_repeated_pairs_are_sorted_by_count_with_their_first_index() -> None:
    seen = TrainPairs()
    seen.add([Pair("a", "b"), Pair("c", "d"), Pair("c", "e")])
    seen.add([Pair("c", "d"), Pair("a", "b"), Pair("a", "b", [(0, 0)])])
    assert seen.repeated() == (3, [(0, 3), (1, 2)])


def test_without_repeats_the_result_is_empty() -> None:
    seen = TrainPairs()
    assert seen.repeated() == (0, [])
    seen.add([Pair("a", "b"), Pair("b", "a")])
    assert seen.repeated() == (0, [])


def test_overlapping_sources_and_pairs_are_counted_separately() -> None:
    held_out = HeldOutPairs()
    held_out.add([Pair("a", "1"), Pair("b", "2"), Pair("b", "3")])
    held_out.compare([Pair("a", "1"), Pair("b", "4"), Pair("c", "2")])
    held_out.compare([Pair("a", "1")])
    assert held_out.num_sources == 2
    assert held_out.sources_in_train == {"a", "b"}
    assert held_out.pairs_in_train == {("a", "1")}


def test_sources_shared_by_two_splits_are_counted_once() -> None:
    valid, test = HeldOutPairs(), HeldOutPairs()
    valid.add([Pair("a", "1"), Pair("b", "2"), Pair("c", "3")])
    test.add([Pair("b", "2"), Pair("c", "4"), Pair("c", "5"), Pair("d", "6")])
    assert test.num_shared_with(valid) == 2
