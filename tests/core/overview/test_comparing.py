"""Repeats among many pairs."""

from __future__ import annotations

from core.overview.comparing import SeenPairs
from core.plugin import Pair


def test_the_most_frequent_come_first_with_the_place_of_the_first() -> None:
    seen = SeenPairs()
    seen.add([Pair("a", "b"), Pair("c", "d"), Pair("c", "e")])
    seen.add([Pair("c", "d"), Pair("a", "b"), Pair("a", "b", [(0, 0)])])
    assert seen.repeated() == (3, [(0, 3), (1, 2)])


def test_nothing_repeated_is_nothing() -> None:
    seen = SeenPairs()
    assert seen.repeated() == (0, [])
    seen.add([Pair("a", "b"), Pair("b", "a")])
    assert seen.repeated() == (0, [])
