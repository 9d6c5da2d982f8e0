"""Pairs as lines of JSON: prepared data keep what the host process sends, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from json import dumps  # by name: a plugin, in whose process it is called, may put another function into the module
from typing import Any

from core.plugin import Pair

_quoted = json.encoder.encode_basestring_ascii  # json.dumps calls it too, but takes a microsecond longer
_SEPARATOR = b'", "'  # two texts; in one, a quotation mark has a backslash before it
NOT_ALIGNED = "null"


@dataclass(frozen=True, slots=True)
class PairLines:
    """Some pairs in order, one a line. The lines are ASCII, so that they end only at "\\n"."""

    lines: bytes
    num_pairs: int
    share_read: float | None = None  # of the files that the pairs come from, so far; None: from no files
    left_out: int = 0  # pairs that the plugin's own options have left out so far
    is_fast: bool = False  # a whole chunk, drawn quickly: the next may be requested while this one is processed

    def __len__(self) -> int:
        return self.num_pairs

    def fields(self) -> list[list[Any]]:
        """Source, target and alignment of each pair. All lines are decoded in one call, in a third of the time."""
        fields: list[list[Any]] = json.loads(b"[" + self.lines[:-1].replace(b"\n", b",") + b"]")
        return fields

    def quoted_sources(self) -> list[bytes]:
        """The sources as they are in the lines, not decoded: equal texts are equal bytes.

        A source that ends in `", ` lacks these three characters, as its own quotation mark is taken for the end;
        counting the backslashes before it would double the time. `unquoted` restores them.
        """
        return [line.partition(_SEPARATOR)[0] for line in self.lines.splitlines()]

    def pairs(self) -> list[Pair]:
        """The pairs as the plugin gave them."""
        return [
            Pair(source, target, None if links is None else [(src, tgt) for src, tgt in links])
            for source, target, links in self.fields()
        ]


def unquoted(source: bytes) -> str:
    """The text of one of the `quoted_sources`."""
    text, _ = json.JSONDecoder().raw_decode((source.removeprefix(b"[") + _SEPARATOR).decode())  # up to the text's end
    return str(text)


def line_of(source: str, target: str, links: str) -> str:
    """One pair as a line; `links` is its alignment as `links_text` writes it."""
    return f"[{_quoted(source)}, {_quoted(target)}, {links}]\n"


def links_text(alignment: Sequence[Sequence[int]] | None) -> str:
    """An alignment as JSON."""
    return NOT_ALIGNED if alignment is None else dumps(alignment)


def lines_of(pairs: Sequence[Pair]) -> PairLines:
    """Pairs as lines."""
    lines = [line_of(pair.source, pair.target, links_text(pair.alignment)) for pair in pairs]
    return PairLines("".join(lines).encode("ascii"), len(lines))
