"""A stream of a split's chunks: each pair comes once, and only chunks of fast plugins are requested ahead."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from core.plugin import DatasetPlugin, Options, Pair, Split
from core.plugins_host import pair_stream as module
from core.plugins_host.pair_stream import CHUNK_SIZE, FAST_SECONDS, PairStream


class Counted(DatasetPlugin[Options]):
    """Counts its pairs, and advances a fake clock by the time that a chunk takes."""

    name = "counted"
    title = "Counted"
    drawn = 0
    seconds_a_chunk = 0.0
    now = 0.0

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        while True:
            if self.drawn % CHUNK_SIZE == 0:
                self.now += self.seconds_a_chunk
            self.drawn += 1
            yield Pair(str(self.drawn), "x")


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Counted:
    made = Counted(Options())
    monkeypatch.setattr(module, "monotonic", lambda: made.now)
    return made


def opened(plugin: Counted, limit: int | None = None) -> PairStream:
    return PairStream(plugin, "train", 0, limit)


def test_each_pair_is_drawn_once_and_only_on_request(plugin: Counted) -> None:
    stream, sources = opened(plugin), list[str]()
    for number in (1, 2, 3):
        chunk = stream.next_chunk()
        assert chunk.is_fast and plugin.drawn == number * CHUNK_SIZE
        sources += [pair.source for pair in chunk.pairs()]
    assert sources == [str(number) for number in range(1, 3 * CHUNK_SIZE + 1)]


def test_no_chunk_is_requested_ahead_from_a_slow_plugin(plugin: Counted) -> None:
    plugin.seconds_a_chunk = FAST_SECONDS
    assert not opened(plugin).next_chunk().is_fast


def test_no_chunk_is_requested_ahead_at_the_end_of_a_split(plugin: Counted) -> None:
    stream = opened(plugin, CHUNK_SIZE + 5)
    assert [stream.next_chunk().is_fast for _ in range(3)] == [True, False, False]
