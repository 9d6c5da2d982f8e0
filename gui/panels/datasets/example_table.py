"""The table of examples behind a dataset's figures: unknown tokens, repeated pairs, leaked sources."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from core.data.splits import HELD_OUT
from core.overview.records import DataOverview
from gui.panels.row_table import Column, RowTable
from gui.theme import Theme


class Example(NamedTuple):
    """A text worth looking up among the pairs of a split."""

    split: str
    what: str
    text: str
    times: int  # how often it was seen; 0 if that was not counted


class ExampleTable(RowTable[Example]):
    """Lists the examples; the view shows the pairs that contain the chosen one on Enter."""

    columns = (
        Column("found", "What was found, and in which split", 168),
        Column("example", "Enter shows the pairs that contain it"),
        Column("times", "How often it was seen", 64, is_number=True),
    )
    sentence_column = 1

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Examples", "Enter shows the pairs that contain the chosen example")

    def texts_of(self, row: Example) -> tuple[str, ...]:
        return f"{row.split}: {row.what}", row.text, f"{row.times:,}" if row.times else ""

    def key_of(self, row: Example) -> Hashable:
        return row[:3]

    def tip_of(self, row: Example) -> str:
        return row.text

    def fit_rows(self) -> None:
        """Make rows lower than in other tables, since there are many."""
        self.verticalHeader().setDefaultSectionSize(self.theme.px(24))


def examples_of(overview: DataOverview | None) -> Iterator[Example]:
    """What was found so far; first the leaks, which make a score less meaningful."""
    if overview is None:
        return
    for split, leak in (overview.leaks or {}).items():
        yield from (Example(split, "in train too", text, 0) for text in leak.examples)
    for split in HELD_OUT:
        figures = overview.splits[split]
        yield from (Example(split, "unknown source", *counted) for counted in figures.src.unknown)
        yield from (Example(split, "unknown target", *counted) for counted in figures.tgt.unknown)
    if overview.repeats is not None:
        yield from (Example("train", "repeated", *counted) for counted in overview.repeats.most_frequent)
