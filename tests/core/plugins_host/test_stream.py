"""Chunks of a split: drawn ahead of a fast plugin only, and faults told in their turn."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest

from core.plugin import DatasetPlugin, Options, Pair, Split
from core.plugins_host.stream import CHUNK_SIZE, PairStream


class Counted(DatasetPlugin[Options]):
    """Counts what was drawn of it; fails after `fails_after` pairs."""

    name = "counted"
    title = "Counted"
    drawn = 0
    fails_after = 10 * CHUNK_SIZE
    seconds_a_chunk = 0.0

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        while True:
            if self.drawn % CHUNK_SIZE == 0:
                time.sleep(self.seconds_a_chunk)
            self.drawn += 1
            if self.drawn > self.fails_after:
                raise ZeroDivisionError
            yield Pair(str(self.drawn), "x")


def opened(plugin: Counted) -> PairStream:
    return PairStream(plugin, __file__, "train", 0, None)


def test_the_next_chunk_is_drawn_ahead_and_each_pair_comes_once() -> None:
    plugin = Counted(Options())
    stream, sources = opened(plugin), list[str]()
    for number in (1, 2, 3):
        sources += [pair.source for pair in stream.next_chunk().pairs()]
        stream.draw_ahead()
        assert plugin.drawn == (number + 1) * CHUNK_SIZE
    assert sources == [str(number) for number in range(1, 3 * CHUNK_SIZE + 1)]


def test_nothing_is_drawn_ahead_of_a_slow_plugin() -> None:
    plugin = Counted(Options())
    plugin.seconds_a_chunk = 0.11
    stream = opened(plugin)
    stream.next_chunk()
    stream.draw_ahead()
    assert plugin.drawn == CHUNK_SIZE


def test_what_fails_ahead_is_told_when_it_is_asked_for() -> None:
    plugin = Counted(Options())
    plugin.fails_after = CHUNK_SIZE + 5
    stream = opened(plugin)
    assert len(stream.next_chunk()) == CHUNK_SIZE
    stream.draw_ahead()
    stream.draw_ahead()
    with pytest.raises(ZeroDivisionError):
        stream.next_chunk()
