"""The title of a panel: shortened to make room for its buttons, and redrawn without a new layout."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QPushButton, QToolTip, QWidget

from gui.panel import Panel
from gui.runs.rows import example_path, read_row
from gui.runs.run_names import distinct_names
from gui.theme import Theme
from gui.widgets.dynamic_labels import elided_title
from gui.widgets.labels import literal_tooltip
from tests.gui.not_none import not_none

Stage = Callable[[QWidget, int, int], None]
LONG = "Cross-attention, layer 2 head 3, fed by the reference · step 1,000"


@pytest.fixture
def panel(stage: Stage, theme: Theme) -> Panel:
    """A panel with a long title, a tooltip of its own and a button."""
    made = Panel(theme)
    made.header.addWidget(QPushButton("all kinds"))
    made.title_label.setToolTip("What is drawn.")
    made.set_title(LONG)
    stage(made, 300, 100)
    return made


def tip_of(panel: Panel) -> str:
    """The tooltip of the panel's title."""
    title = panel.title_label
    place = title.rect().center()
    QApplication.sendEvent(title, QHelpEvent(QEvent.Type.ToolTip, place, title.mapToGlobal(place)))
    return QToolTip.text()


def test_it_is_shortened_beside_its_buttons_and_complete_in_its_tooltip(panel: Panel, stage: Stage) -> None:
    title, button = panel.title_label, not_none(panel.header.itemAt(2))
    assert panel.width() == 300, "a title must not widen its panel"
    assert title.width() > 100 and not title.geometry().intersects(button.geometry())
    assert tip_of(panel) == f"{LONG}\nWhat is drawn."
    stage(panel, 900, 100)
    assert tip_of(panel) == "What is drawn."
    assert title.accessibleName() == title.text() == LONG


def test_its_tooltip_shows_a_name_literally(panel: Panel) -> None:
    named = LONG.replace("reference", "<b>reference</b> of R&D")
    panel.set_title(named)
    assert tip_of(panel) == literal_tooltip(f"{named}\nWhat is drawn.")


def test_its_step_is_kept_when_it_is_shortened(panel: Panel) -> None:
    metrics = panel.title_label.fontMetrics()
    for text, width, seen in (
        (LONG, metrics.horizontalAdvance(LONG), LONG),
        (LONG, metrics.horizontalAdvance(LONG) - 1, r"Cross-attention, layer 2 head 3, fed by the ref.*… · step 1,000"),
        (LONG, metrics.horizontalAdvance(LONG) * 2 // 3, r"Cross-attention, layer .*… · step 1,000"),
        (LONG, metrics.horizontalAdvance("step 1,000"), r"Cross.*…"),
        ("All heads", metrics.horizontalAdvance("All head"), r"All.*…"),
    ):
        written = elided_title(text, metrics, width)
        assert re.fullmatch(seen, written) and metrics.horizontalAdvance(written) <= width


def test_the_start_of_the_subtracted_runs_name_is_kept_when_it_is_shortened(panel: Panel) -> None:
    row = read_row(example_path())
    taken, _ = distinct_names([row, replace(row, path=Path("another"))])
    metrics = panel.title_label.fontMetrics()
    title = f"Cross-attention, layer 2 head 1, fed by the reference · step 500 minus {taken} at step 500"
    written = elided_title(title, metrics, metrics.horizontalAdvance(title) * 3 // 4)
    assert re.fullmatch(r"Cross-attention.*… · step 500 minus .*", written)
    narrow = elided_title(title, metrics, metrics.horizontalAdvance(title) // 2)
    assert re.fullmatch(rf"Cross-attent.*… · step 500 minus {taken[:12]}.*…", narrow)


class LayoutsSeen(QObject):
    """Counts the layout requests of a widget."""

    count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


def test_a_changed_number_in_it_causes_no_new_layout(panel: Panel) -> None:
    seen = LayoutsSeen()
    QApplication.sendPostedEvents()
    panel.installEventFilter(seen)
    panel.set_title(LONG.replace("1,000", "1,001"))
    QApplication.sendPostedEvents()
    assert seen.count == 0
    panel.set_title(f"{LONG}, and more")
    QApplication.sendPostedEvents()
    assert seen.count == 1
