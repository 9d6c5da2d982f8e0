"""Draws a split's pairs from a plugin in chunks, checks each, and writes it as the line that is sent and stored."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from operator import index
from time import monotonic
from typing import Any

from core.plugin import PAIR_CHARACTERS, DatasetPlugin, Pair, Split
from core.plugins_host import checked_calls
from core.plugins_host.pair_lines import NOT_ALIGNED, PairLines, line_of, links_text
from core.plugins_host.worker_errors import WorkerError, defined_at
from core.read_progress import ReadProgress
from core.short_repr import short_repr

CHUNK_SIZE = 1000
CHUNK_CHARACTERS = 10_000_000
"""The most the application receives at once, however much a plugin gives."""
CHUNK_SECONDS = 0.5
"""A slow plugin's chunk is sent after this time, so that a slow plugin differs from a hanging one."""

FAST_SECONDS = 0.1
"""A plugin that gives a whole chunk in less time is fast."""

Alignment = tuple[tuple[int, int], ...]


class PairStream:
    """A split that is being drawn."""

    def __init__(self, plugin: DatasetPlugin[Any], split: Split, rng_seed: int, limit: int | None) -> None:
        self._plugin, self._split = plugin, split
        self._num_drawn = 0
        self._files = ReadProgress()
        pairs: Any = plugin.pairs(split, random.Random(rng_seed))
        if isinstance(pairs, Pair):
            pairs = "one pair"  # it is a tuple, and would be taken for a list of two texts
        if isinstance(pairs, str) or not hasattr(pairs, "__iter__"):
            file, line = defined_at(plugin, "pairs")
            raise WorkerError(
                f"pairs() returned {pairs}, expected it to yield Pair(source, target).", file=file, line=line
            )
        self._iterator = iter(pairs)
        self._pairs: Iterator[Any] = islice(self._iterator, limit)

    def next_chunk(self) -> PairLines:
        """Return up to CHUNK_SIZE pairs; fewer if the plugin is slow or the pairs are long, none at the end.

        Only from a fast plugin is the next chunk requested ahead, so that one that may hang is not asked needlessly.
        """
        started = monotonic()
        with self._files.tracking():
            chunk = self._chunk()
            left_out = checked_calls.left_out(self._plugin, self._split)
        is_fast = len(chunk) == CHUNK_SIZE and monotonic() - started < FAST_SECONDS
        return replace(chunk, is_fast=is_fast, left_out=left_out)

    def _chunk(self) -> PairLines:
        lines: list[str] = []
        cached_links: dict[Alignment, str] = {}  # most alignments of a chunk are the same few
        num_characters = 0
        deadline = monotonic() + CHUNK_SECONDS
        for pair in islice(self._pairs, CHUNK_SIZE):
            self._num_drawn += 1
            source, target, alignment = self._validated(pair)
            links = NOT_ALIGNED if alignment is None else self._links(alignment, cached_links)
            lines.append(line_of(source, target, links))
            num_characters += len(source) + len(target)
            if num_characters > CHUNK_CHARACTERS or monotonic() > deadline:
                break
        return PairLines("".join(lines).encode("ascii"), len(lines), self._files.fraction_read)

    def _validated(self, pair: Any) -> Pair:
        if not isinstance(pair, Pair):
            raise self._pair_error(f"is {short_repr(pair, 100)}, expected Pair(source, target)")
        if not (isinstance(pair.source, str) and isinstance(pair.target, str)):
            raise self._pair_error(f"is {short_repr(pair, 100)}, expected a source and a target that are texts")
        if len(pair.source) + len(pair.target) > PAIR_CHARACTERS:
            complaint = f"has {len(pair.source) + len(pair.target):,} characters, expected at most {PAIR_CHARACTERS:,}"
            raise self._pair_error(complaint)
        if not (pair.source.isascii() and pair.target.isascii()):
            self._require_encodable(pair.source + pair.target)
        return pair

    def _require_encodable(self, text: str) -> None:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise self._pair_error(f"cannot be written as UTF-8 ({error.reason})") from None

    def _links(self, alignment: Any, cached_links: dict[Alignment, str]) -> str:
        try:
            links = tuple(map(tuple, alignment))
            if links not in cached_links:
                plain = [(index(source), index(target)) for source, target in links]  # NumPy's numbers are no ints
                if any(isinstance(one, bool) for link in links for one in link) or min(chain(*plain), default=0) < 0:
                    raise ValueError
                cached_links[links] = links_text(plain)
            return cached_links[links]
        except (TypeError, ValueError):
            complaint = f"has alignment {short_repr(alignment, 100)}, expected (source, target) indices counted from 0"
            raise self._pair_error(complaint) from None

    def _pair_error(self, complaint: str) -> WorkerError:
        """Name the pair and the line of its yield, or if `pairs` is no generator, that of its definition."""
        frame = getattr(self._iterator, "gi_frame", None)
        file, line = (frame.f_code.co_filename, frame.f_lineno) if frame else defined_at(self._plugin, "pairs")
        return WorkerError(f"Pair {self._num_drawn:,} {complaint}.", file=file, line=line)
