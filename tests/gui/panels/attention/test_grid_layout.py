"""The positions of the small heads."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QSizeF
from PySide6.QtGui import QFontMetrics
from pytestqt.qtbot import QtBot

from gui.panels.attention.grid_layout import GridLayout


@pytest.fixture
def layout(qtbot: QtBot, qapp: object) -> GridLayout:
    metrics = QFontMetrics(qapp.font())  # type: ignore[attr-defined]
    return GridLayout(QSizeF(600, 400), ["encoder self 1", "cross 1"], [4, 3], metrics)


def test_cell_at_finds_every_head(layout: GridLayout) -> None:
    for row, count in enumerate((4, 3)):
        for head in range(count):
            assert layout.cell_at(layout.cell(row, head).center().toPoint()) == (row, head)


def test_cell_at_finds_no_head_between_and_outside_the_cells(layout: GridLayout) -> None:
    first, missing = layout.cell(0, 0), layout.cell(1, 3)
    gap = QPoint(round(first.right()) + 2, round(first.center().y()))
    for point in (QPoint(1, 1), missing.center().toPoint(), QPoint(599, 399), gap):
        assert layout.cell_at(point) is None


def test_heads_fit_and_do_not_overlap(layout: GridLayout) -> None:
    cells = [layout.cell(row, head) for row, count in enumerate((4, 3)) for head in range(count)]
    assert all(cell.right() <= 600 and cell.bottom() <= 400 for cell in cells)
    assert not any(a.intersects(b) for a in cells for b in cells if a is not b)
    assert all(cell.height() <= 1.5 * (cell.width() + 8) for cell in cells)


def test_a_note_lies_under_its_head_if_the_cell_stays_high_enough(qapp: object) -> None:
    metrics, names = QFontMetrics(qapp.font()), ["encoder self 1", "cross 1"]  # type: ignore[attr-defined]
    noted = GridLayout(QSizeF(600, 400), names, [4, 3], metrics, note=12.0)
    places = [(row, head) for row, count in enumerate((4, 3)) for head in range(count)]
    notes = [noted.note(*place) for place in places]
    assert all(note.height() == 12.0 and note.bottom() <= 400 for note in notes)
    assert not any(note.intersects(noted.cell(*place)) for note in notes for place in places)
    low = GridLayout(QSizeF(600, 60), names, [4, 3], metrics, note=12.0)
    assert low.note(0, 0).height() == 0.0 and low.cell(0, 0).height() > 12.0


@pytest.mark.parametrize(
    ("num_heads", "first_names"),
    [(4, ["head 1", "head 2"]), (12, ["1", "2"]), (30, ["2", "4"]), (64, ["4", "8"]), (128, ["16", "32"])],
)
def test_narrow_heads_are_numbered_at_regular_intervals(qapp: object, num_heads: int, first_names: list[str]) -> None:
    metrics = QFontMetrics(qapp.font())  # type: ignore[attr-defined]
    layout = GridLayout(QSizeF(560, 300), ["encoder self 1", "cross 1"], [num_heads] * 2, metrics)
    names, places = zip(*layout.head_names(), strict=True)
    assert list(names[:2]) == first_names
    for name, place in zip(names, places, strict=True):
        head = layout.cell(0, int(name.split()[-1]) - 1)
        assert place.center().x() == pytest.approx(head.center().x()) or place.right() == 560
        assert place.width() >= metrics.horizontalAdvance(name) and place.right() <= 560
    assert all(one.right() < other.left() for one, other in pairwise(places))


@pytest.mark.parametrize(("height", "first_names"), [(400, ["cross 1", "cross 2"]), (200, ["cross 1", "cross 3"])])
def test_low_rows_are_named_at_regular_intervals(qapp: object, height: int, first_names: list[str]) -> None:
    metrics = QFontMetrics(qapp.font())  # type: ignore[attr-defined]
    layout = GridLayout(QSizeF(560, height), [f"cross {row + 1}" for row in range(20)], [16] * 20, metrics)
    names, places = zip(*layout.row_names(), strict=True)
    assert list(names[:2]) == first_names
    rows = [int(name.split()[-1]) - 1 for name in names]
    assert [place.center().y() for place in places] == [layout.cell(row, 0).center().y() for row in rows]
    assert not any(one.intersects(other) for one, other in pairwise(places))
