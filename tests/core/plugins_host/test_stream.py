"""Chunks of a split: each pair once, and which plugins may be asked for more ahead."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split
from core.plugins_host.stream import CHUNK_SIZE, PairStream


class Counted(DatasetPlugin[Options]):
    """Counts what was drawn of it."""

    name = "counted"
    title = "Counted"
    drawn = 0
    seconds_a_chunk = 0.0

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        while True:
            if self.drawn % CHUNK_SIZE == 0:
                time.sleep(self.seconds_a_chunk)
            self.drawn += 1
            yield Pair(str(self.drawn), "x")


def opened(plugin: Counted) -> PairStream:
    return PairStream(plugin, __file__, "train", 0, None)


def test_each_pair_comes_once_and_none_before_it_is_asked_for() -> None:
    plugin = Counted(Options())
    stream, sources = opened(plugin), list[str]()
    for number in (1, 2, 3):
        chunk = stream.next_chunk()
        assert chunk.is_fast and plugin.drawn == number * CHUNK_SIZE
        sources += [pair.source for pair in chunk.pairs()]
    assert sources == [str(number) for number in range(1, 3 * CHUNK_SIZE + 1)]


def test_a_slow_plugin_is_not_to_be_asked_ahead() -> None:
    plugin = Counted(Options())
    plugin.seconds_a_chunk = 0.11
    assert not opened(plugin).next_chunk().is_fast


def test_nor_is_one_that_has_come_to_its_end() -> None:
    stream = PairStream(Counted(Options()), __file__, "train", 0, CHUNK_SIZE + 5)
    assert [stream.next_chunk().is_fast for _ in range(3)] == [True, False, False]
