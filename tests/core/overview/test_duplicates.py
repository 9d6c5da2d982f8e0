"""Repeats among many pairs, and what is held out and trained on all the same."""

from __future__ import annotations

from core.overview.duplicates import HeldOutPairs, TrainPairs
from core.plugin import Pair


def test_the_most_frequent_come_first_with_the_place_of_the_first() -> None:
    seen = TrainPairs()
    seen.add([Pair("a", "b"), Pair("c", "d"), Pair("c", "e")])
    seen.add([Pair("c", "d"), Pair("a", "b"), Pair("a", "b", [(0, 0)])])
    assert seen.repeated() == (3, [(0, 3), (1, 2)])


def test_nothing_repeated_is_nothing() -> None:
    seen = TrainPairs()
    assert seen.repeated() == (0, [])
    seen.add([Pair("a", "b"), Pair("b", "a")])
    assert seen.repeated() == (0, [])


def test_sources_and_pairs_are_told_apart() -> None:
    held_out = HeldOutPairs()
    held_out.add([Pair("a", "1"), Pair("b", "2"), Pair("b", "3")])
    held_out.compare([Pair("a", "1"), Pair("b", "4"), Pair("c", "2")])
    held_out.compare([Pair("a", "1")])
    assert held_out.num_sources == 2
    assert held_out.sources_in_train == {"a", "b"}
    assert held_out.pairs_in_train == {("a", "1")}


def test_sources_that_two_hold_out_are_counted_once() -> None:
    valid, test = HeldOutPairs(), HeldOutPairs()
    valid.add([Pair("a", "1"), Pair("b", "2"), Pair("c", "3")])
    test.add([Pair("b", "2"), Pair("c", "4"), Pair("c", "5"), Pair("d", "6")])
    assert test.num_shared_with(valid) == 2
