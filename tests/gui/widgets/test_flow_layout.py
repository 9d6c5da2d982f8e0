"""Rows of widgets that wrap."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gui.widgets.flow_layout import FlowLayout, SizedItem
from tests.gui.not_none import not_none


@pytest.fixture
def row(qtbot: QtBot) -> Iterator[FlowLayout]:
    """The layout of three buttons in a widget."""
    widget = QWidget()
    qtbot.addWidget(widget)
    made = FlowLayout(widget, 8)
    for _ in range(3):
        made.addWidget(QPushButton("a button"))
    yield made  # a return would destroy the widget


def button_at(row: FlowLayout, place: int) -> QPushButton:
    button = not_none(row.itemAt(place)).widget()
    assert isinstance(button, QPushButton)
    return button


def test_its_height_is_computed_once_per_width(row: FlowLayout, monkeypatch: pytest.MonkeyPatch) -> None:
    widths, lines = [], FlowLayout._lines

    def counted(self: FlowLayout, room: int) -> list[list[SizedItem]]:
        widths.append(room)
        return lines(self, room)

    monkeypatch.setattr(FlowLayout, "_lines", counted)
    heights = [row.heightForWidth(width) for width in (100, 1000, 100, 1000)]
    assert heights[:2] == heights[2:] and heights[0] > heights[1]
    assert widths == [100, 1000]


def test_it_follows_changes_of_its_items(row: FlowLayout) -> None:
    widget, button, other = not_none(row.parentWidget()), button_at(row, 0), button_at(row, 1)
    width = 2 * button.sizeHint().width() + 8

    def heights() -> tuple[int, int]:
        """The cached height and the recomputed one."""
        return row.heightForWidth(width), row._geometries(QRect(0, 0, width, 0))[1]

    seen = []
    for change in (
        *(lambda: None, other.hide, other.show),
        lambda: button.setText("a button that has far more to say"),
        lambda: row.addWidget(QPushButton("one more")),
        lambda: row.setContentsMargins(8, 8, 8, 8),
        lambda: widget.setStyleSheet("QPushButton { min-height: 60px }"),
        lambda: row.removeWidget(other),
    ):
        change()
        computed, recomputed = heights()
        assert computed == recomputed
        seen.append(computed)
    assert len(set(seen)) >= 4
