"""Pairs as lines of JSON: what the plugin's process sends is what prepared data keep, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.plugin import Pair

_quoted = json.encoder.encode_basestring_ascii  # what json.dumps calls, after a microsecond of its own
_BETWEEN = b'", "'  # two texts, and never in one: a quotation mark has a backslash before it there
NOT_ALIGNED = "null"


@dataclass(frozen=True, slots=True)
class PairLines:
    """Some pairs in order, a line each; every character is below U+0080, so that lines end at "\\n" only."""

    lines: bytes
    num_pairs: int
    share: float | None = None  # of the files that all pairs come from, what is read by now; None: not of files
    left_out: int = 0  # pairs that the plugin's own options have left out by now
    is_fast: bool = False  # a whole chunk, drawn in no time: the next one may be asked for while this is worked on

    def __len__(self) -> int:
        return self.num_pairs

    def fields(self) -> list[list[Any]]:
        """Source, target and alignment of each pair; one call for many lines takes a third of the time."""
        fields: list[list[Any]] = json.loads(b"[" + self.lines[:-1].replace(b"\n", b",") + b"]")
        return fields

    def quoted_sources(self) -> list[bytes]:
        """The sources as they stand in the lines: the same text is the same bytes, and none is read as JSON."""
        return [line.partition(_BETWEEN)[0] for line in self.lines.splitlines()]

    def pairs(self) -> list[Pair]:
        """The pairs as the plugin gave them."""
        return [
            Pair(source, target, None if links is None else [(src, tgt) for src, tgt in links])
            for source, target, links in self.fields()
        ]


def unquoted(source: bytes) -> str:
    """The text of one of the `quoted_sources`."""
    return str(json.loads(source.removeprefix(b"[") + b'"'))


def line_of(source: str, target: str, links: str) -> str:
    """One pair as a line; `links` are its alignment as `links_text` writes it."""
    return f"[{_quoted(source)}, {_quoted(target)}, {links}]\n"


def links_text(alignment: Sequence[Sequence[int]] | None) -> str:
    """An alignment as JSON."""
    return NOT_ALIGNED if alignment is None else json.dumps(alignment)


def lines_of(pairs: Sequence[Pair]) -> PairLines:
    """Pairs as lines."""
    lines = [line_of(pair.source, pair.target, links_text(pair.alignment)) for pair in pairs]
    return PairLines("".join(lines).encode("ascii"), len(lines))
