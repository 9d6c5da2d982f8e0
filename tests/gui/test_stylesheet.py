"""What the stylesheet draws in place of Qt's own style."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QSlider, QTableWidget, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.colours import Mode
from gui.frame.rail import RailButton
from gui.panel import Panel
from gui.panels.runs.comparison_table import ComparisonTable
from gui.panels.runs.run_translations import RunTranslations
from gui.panels.translation.candidate_table import CandidateTable
from gui.theme import ZOOMS, Theme
from gui.widgets.buttons import FoldButton, button
from gui.widgets.scroll_areas import FramelessScrollArea
from tests.gui.conftest import WAIT_MS
from tests.gui.test_colours import contrast


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_nothing_is_drawn_between_two_scroll_bars(qtbot: QtBot, mode: Mode) -> None:
    theme = Theme(mode)
    theme.apply()
    table = QTableWidget(30, 30)
    qtbot.addWidget(table)
    table.resize(300, 200)
    table.show()
    picture = table.grab().toImage()
    vertical, horizontal = table.verticalScrollBar(), table.horizontalScrollBar()
    corner = QPoint(vertical.mapTo(table, QPoint(0, 0)).x(), horizontal.mapTo(table, QPoint(0, 0)).y())
    places = [corner + QPoint(x, y) for x in range(vertical.width()) for y in range(horizontal.height())]
    assert len(places) >= 100
    assert {picture.pixelColor(place).name() for place in places} == {theme.colours.surface}


class Canvas(QWidget):
    """Paints nothing. Qt fills the ground that a stylesheet gives to plain widgets, but not to those of a subclass."""


@pytest.mark.parametrize("content", [QWidget, Canvas])
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_what_scrolls_in_a_panel_has_the_colour_of_the_panel(qtbot: QtBot, mode: Mode, content: type[QWidget]) -> None:
    theme = Theme(mode)
    theme.apply()
    panel = Panel(theme)
    area = FramelessScrollArea(content())
    panel.body.addWidget(area)
    qtbot.addWidget(panel)
    panel.show_body()
    panel.setMinimumSize(300, 200)  # the offscreen platform has no size hints and would warn
    panel.show()
    picture = panel.grab().toImage()
    assert picture.pixelColor(area.mapTo(panel, area.rect().center())).name() == theme.colours.surface


@pytest.mark.parametrize("kind", ["rail", "comparison", "translations", "candidates"])
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_frame_shows_the_focused_control(qtbot: QtBot, mode: Mode, kind: str) -> None:
    theme = Theme(mode)
    theme.apply()
    window, other, panel = QWidget(), QLineEdit(), RunTranslations(theme)
    kinds: dict[str, Callable[[], QWidget]] = {
        "rail": partial(RailButton, theme, "Train", ""),
        "comparison": partial(ComparisonTable, theme),
        "candidates": partial(CandidateTable, theme),
        "translations": lambda: panel.table,
    }
    made = kinds[kind]()
    window.setMinimumSize(100, 100)  # the offscreen platform has no size hints and would warn
    window.setObjectName("rail")  # which styles only its buttons
    layout = QVBoxLayout(window)
    layout.addWidget(other)
    layout.addWidget(made)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    for focused, is_framed in ((other, False), (made, True)):
        focused.setFocus(Qt.FocusReason.TabFocusReason)
        qtbot.waitUntil(focused.hasFocus, timeout=WAIT_MS)
        picture = made.grab().toImage()
        edge = picture.pixelColor(picture.width() - 1, picture.height() // 2).name()
        assert (edge == theme.colours.training) == is_framed, edge


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_focus_is_seen_on_a_slider_and_on_the_button_of_the_open_page(qtbot: QtBot, mode: Mode) -> None:
    """Some of what changes has the contrast that WCAG asks for, also on a projector that shows no colours."""
    theme = Theme(mode)
    theme.apply()
    window, other = QWidget(), QLineEdit()
    window.setMinimumSize(100, 100)  # as above
    slider, page = QSlider(Qt.Orientation.Horizontal), button("Attention", "", role="flat")
    page.setCheckable(True)
    page.setChecked(True)
    layout = QVBoxLayout(window)
    for control in (other, slider, page):
        layout.addWidget(control)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    for control in (slider, page):
        other.setFocus()
        qtbot.waitUntil(other.hasFocus, timeout=WAIT_MS)
        before = control.grab().toImage()
        control.setFocus(Qt.FocusReason.TabFocusReason)
        qtbot.waitUntil(control.hasFocus, timeout=WAIT_MS)
        after = control.grab().toImage()
        places = [QPoint(x, y) for x in range(after.width()) for y in range(after.height())]
        pairs = ((before.pixelColor(place), after.pixelColor(place)) for place in places)
        assert sum(one != other and contrast(one, other) >= 3 for one, other in pairs) >= 20, control


@pytest.mark.parametrize("zoom", ZOOMS)
def test_the_handle_of_a_slider_is_round_at_any_zoom(qtbot: QtBot, zoom: int) -> None:
    theme = Theme("light", zoom)
    theme.apply()
    slider = QSlider(Qt.Orientation.Horizontal)
    qtbot.addWidget(slider)
    slider.ensurePolished()
    slider.resize(100, slider.sizeHint().height())
    picture, handle = slider.grab().toImage(), theme.colours.muted
    middle = [index for index in range(100) if picture.pixelColor(index, slider.height() // 2).name() == handle]
    column = sum(middle) // len(middle)
    rows = [index for index in range(slider.height()) if picture.pixelColor(column, index).name() == handle]
    assert len(rows) >= len(middle) - 1  # as high as wide
    corners = {picture.pixelColor(x, y).name() for x in (middle[0], middle[-1]) for y in (rows[0], rows[-1])}
    assert handle not in corners


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_text_of_a_disabled_field_is_readable(qtbot: QtBot, mode: Mode) -> None:
    theme = Theme(mode)
    theme.apply()
    for field in (QLineEdit(), QPlainTextEdit()):
        qtbot.addWidget(field)
        field.setPlaceholderText("The example run keeps its note")
        field.setEnabled(False)
        field.ensurePolished()
        colour = field.palette().color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.PlaceholderText)
        assert colour.name(QColor.NameFormat.HexArgb) == f"#ff{theme.colours.muted[1:]}"


def test_the_arrow_of_a_fold_button_grows_with_the_zoom(qtbot: QtBot) -> None:
    heights = {}
    for zoom in (100, 200):
        theme = Theme("light", zoom)
        theme.apply()
        opener = FoldButton("More")
        qtbot.addWidget(opener)
        opener.ensurePolished()
        opener.resize(opener.sizeHint())
        picture, left = opener.grab().toImage(), opener.width() // 3
        marked_rows = [y for y in range(opener.height()) if is_marked(picture, range(2, left), y)]
        heights[zoom] = marked_rows[-1] - marked_rows[0] + 1
    assert heights[200] >= 1.8 * heights[100]


def is_marked(picture: QImage, columns: range, row: int) -> bool:
    """Whether one of these pixels differs from the background."""
    background = picture.pixelColor(1, 1)
    return any(picture.pixelColor(x, row) != background for x in columns)
