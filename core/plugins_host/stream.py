"""Draw a split's pairs from a plugin in chunks, each pair checked, in a form that is cheap to send."""

import inspect
import random
import time
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from core.plugin import DatasetPlugin, Pair, Split
from core.plugins_host.faults import Fault

CHUNK_SIZE = 1000
CHUNK_SECONDS = 0.5
"""A chunk of a slow plugin is sent after this time, so that slow is told apart from hanging."""

Chunk = dict[str, Any]


class PairStream:
    """One split being drawn. `next_chunk` gives columns of sources, targets and flattened alignments."""

    def __init__(self, plugin: DatasetPlugin[Any], file: str, split: Split, rng_seed: int, limit: int | None) -> None:
        self._file = file
        self._count = 0
        pairs: Any = plugin.pairs(split, random.Random(rng_seed))
        if not hasattr(pairs, "__iter__"):
            line = inspect.getsourcelines(type(plugin).pairs)[1]
            raise Fault(f"pairs() returned {pairs!r}, expected it to yield Pair(source, target).", file=file, line=line)
        self._origin = iter(pairs)
        self._pairs: Iterator[Any] = islice(self._origin, limit)

    def next_chunk(self) -> Chunk:
        """Return up to CHUNK_SIZE pairs; fewer when the plugin is slow, none at the end."""
        sources: list[str] = []
        targets: list[str] = []
        alignments: list[list[int] | None] = []
        deadline = time.monotonic() + CHUNK_SECONDS
        for pair in islice(self._pairs, CHUNK_SIZE):
            self._count += 1
            source, target, alignment = self._checked(pair)
            sources.append(source)
            targets.append(target)
            alignments.append(None if alignment is None else self._flat(alignment))
            if time.monotonic() > deadline:
                break
        aligned = any(alignment is not None for alignment in alignments)
        return {"sources": sources, "targets": targets, "alignments": alignments if aligned else None}

    def _checked(self, pair: Any) -> Pair:
        if not isinstance(pair, Pair):
            raise self._fault(f"is {pair!r:.100}, expected Pair(source, target)")
        if not (isinstance(pair.source, str) and isinstance(pair.target, str)):
            raise self._fault(f"is {pair!r:.100}, expected a source and a target that are texts")
        if not (pair.source.isascii() and pair.target.isascii()):
            self._check_unicode(pair.source + pair.target)
        return pair

    def _check_unicode(self, text: str) -> None:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise self._fault(f"cannot be written as UTF-8 ({error.reason})") from None

    def _flat(self, alignment: Any) -> list[int]:
        try:
            flat = list(chain.from_iterable(alignment))
        except TypeError:
            flat = [-1]
        if any(type(index) is not int or index < 0 for index in flat) or len(flat) != 2 * len(alignment):
            raise self._fault(f"has alignment {alignment!r:.100}, expected (source, target) indices counted from 0")
        return flat

    def _fault(self, complaint: str) -> Fault:
        """Name the pair, and where `pairs` is a generator, the line of its yield."""
        frame = getattr(self._origin, "gi_frame", None)
        return Fault(f"Pair {self._count:,} {complaint}.", file=self._file, line=frame.f_lineno if frame else 0)
