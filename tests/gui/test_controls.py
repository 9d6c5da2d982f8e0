"""Every control has a tooltip and a name for screen readers, and Tab reaches it; a disabled control says why it is."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QSlider,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from gui.views.setup import SECTIONS
from tests.gui.conftest import WAIT_MS
from tests.gui.panels.setup.test_restart_button import filled_buttons
from tests.gui.test_legible import scenes

KINDS = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QSlider)


def flawed_controls(window: MainWindow) -> list[str]:
    """The visible controls without a tooltip or a name, or out of Tab's reach."""
    controls = [one for one in window.findChildren(QWidget) if isinstance(one, KINDS) and one.isVisible()]
    own = [one for one in controls if not isinstance(one.parentWidget(), (QAbstractSpinBox, QComboBox))]
    reached = [one for one in own if one.focusPolicy() & Qt.FocusPolicy.TabFocus]
    good = [one for one in reached if one.toolTip() and one.accessibleName()]
    return [f"{one}: {one.accessibleName()}" for one in own if one not in good]


def unexplained_controls(window: MainWindow) -> list[str]:
    """The visible disabled controls whose tooltip says only what they would do."""
    controls = [one for one in window.findChildren(QWidget) if isinstance(one, KINDS) and one.isVisible()]
    own = [one for one in controls if not isinstance(one.parentWidget(), (QAbstractSpinBox, QComboBox))]
    disabled = [one for one in own if not one.isEnabled()]
    helps = {one: ("", one.accessibleName(), one.accessibleDescription()) for one in disabled}
    return [one.accessibleName() for one in disabled if one.toolTip() in helps[one]]


def controls_that_keep_space_from_learn(window: MainWindow) -> list[str]:
    """The visible controls that would take Space after a click."""
    kinds = (QAbstractButton, QComboBox)
    controls = [one for one in window.findChildren(QWidget) if isinstance(one, kinds) and one.isVisible()]
    return [one.accessibleName() for one in controls if one.focusPolicy() & Qt.FocusPolicy.ClickFocus]


def nameless_scroll_areas(window: MainWindow) -> list[QScrollArea]:
    """The visible scroll areas that Tab reaches and a screen reader could not name."""
    reached = [area for area in window.findChildren(QScrollArea) if area.focusPolicy() & Qt.FocusPolicy.TabFocus]
    return [area for area in reached if area.isVisible() and not area.accessibleName()]


def test_every_control_has_a_name_and_says_what_it_does(qtbot: QtBot, window: MainWindow) -> None:
    for scene in scenes(window):
        assert flawed_controls(window) == unexplained_controls(window) == [] == nameless_scroll_areas(window), scene
        assert controls_that_keep_space_from_learn(window) == [], scene
        assert filled_buttons(window) == ["Learn"], scene
    window.rail.setup_button.click()
    drawer = window.setup_drawer
    qtbot.waitUntil(lambda: "num_symbols" in drawer.plugin_options.form.rows, timeout=WAIT_MS)
    for name in SECTIONS:
        drawer.sections[name].heading.setChecked(True)
    assert drawer.processes_row.spin.isVisible()
    assert flawed_controls(window) == [] == nameless_scroll_areas(window)
    assert controls_that_keep_space_from_learn(window) == []
    window.help_sheet.toggle()
    assert window.help_sheet.isVisible() and flawed_controls(window) == []
