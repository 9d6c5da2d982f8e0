"""Spin boxes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from gui.bridge import EngineBridge
from gui.main_window import MainWindow
from gui.panels.anatomy.label_smoothing import LabelSmoothingTopic
from gui.panels.translation.beam_panel import BeamPanel
from gui.playhead import Playhead
from gui.sentences.typed_sentence import TypedSentence
from gui.theme import ZOOMS, Theme
from gui.widgets.spin_boxes import DecimalSpinBox, IntegerSpinBox
from tests.gui.conftest import WAIT_MS


@pytest.mark.parametrize("points", [9.0, 14.0])
def test_a_spin_box_has_the_height_and_padding_of_a_combo_box_at_every_zoom(qtbot: QtBot, points: float) -> None:
    theme = Theme("light")
    theme._points = points
    spin = IntegerSpinBox(theme)
    qtbot.addWidget(spin)
    for zoom in ZOOMS:
        theme.set_zoom(zoom)
        combo = QComboBox()
        qtbot.addWidget(combo)
        assert spin.height() == combo.sizeHint().height(), zoom
        assert spin.lineEdit().textMargins().left() == theme.px(8)


def test_numbers_are_written_as_everywhere(qtbot: QtBot) -> None:
    theme = Theme("light")
    integer, decimal = IntegerSpinBox(theme), DecimalSpinBox(theme)
    for widget in (integer, decimal):
        qtbot.addWidget(widget)
    integer.setRange(1, 20_000)
    integer.setValue(4_000)
    decimal.setValue(0.6)
    assert (integer.text(), decimal.text()) == ("4,000", "0.60")


def test_space_is_left_to_learn_unless_it_is_typed_into_a_number(qtbot: QtBot) -> None:
    """After a click on an arrow, which selects the number, it wrote a space in its place."""
    theme, window = Theme("light"), QWidget()
    integer, decimal = IntegerSpinBox(theme), DecimalSpinBox(theme)
    qtbot.addWidget(window)
    for spin in (integer, decimal):
        spin.setParent(window)
        before = spin.text()
        spin.selectAll()
        key = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Space, Qt.KeyboardModifier(0), " ")
        QApplication.sendEvent(spin, key)
        assert not key.isAccepted() and spin.text() == before
    QTest.keyClicks(integer, "2 0")
    assert integer.text() == "2 0"  # of 2 000


@pytest.mark.parametrize(("typed", "accepted"), [("0,2", 0.2), ("0.25", 0.25), ("0,25", 0.25), (",5", 0.5)])
def test_a_decimal_number_may_be_typed_with_a_comma(
    qtbot: QtBot, bridge: EngineBridge, typed: str, accepted: float
) -> None:
    theme = Theme("light")
    beam = BeamPanel(theme, TypedSentence(bridge, Playhead()), bridge)
    for panel, spin in ((beam, beam.penalty_spin), (topic := LabelSmoothingTopic(theme), topic.eps_spin)):
        qtbot.addWidget(panel)
        spin.selectAll()
        QTest.keyClicks(spin, typed)
        assert spin.value() == accepted and "," not in spin.text()
        QTest.keyClick(spin, Qt.Key.Key_Return)
        assert spin.value() == accepted


@pytest.mark.parametrize(
    ("typed", "accepted"), [("2,000", 2000), ("2 000", 2000), ("2\u00a0000", 2000), ("12,345", 12_345)]
)
@pytest.mark.parametrize("is_pasted", [False, True])
def test_commas_or_spaces_may_separate_the_thousands_of_a_whole_number(
    qtbot: QtBot, shown_spin: IntegerSpinBox, typed: str, accepted: int, is_pasted: bool
) -> None:
    write(shown_spin, typed, is_pasted)
    assert shown_spin.value() == accepted and not shown_spin.property("role")
    shown_spin.clearFocus()
    assert (shown_spin.value(), shown_spin.text()) == (accepted, f"{accepted:,}")


@pytest.mark.qt_log_ignore("propagateSizeHints")
@pytest.mark.parametrize("typed", ["2,5", "2.5", "2.000", "2,0000", "12,34", "2 5", "2,000,5", "2."])
@pytest.mark.parametrize("is_pasted", [False, True])
@pytest.mark.parametrize("highest", [20, 20_000])
def test_an_invalid_whole_number_is_marked_and_not_applied(
    qtbot: QtBot, shown_spin: IntegerSpinBox, typed: str, is_pasted: bool, highest: int
) -> None:
    shown_spin.setRange(1, highest)
    accepted = list[int]()
    shown_spin.valueChanged.connect(accepted.append)
    write(shown_spin, typed, is_pasted)
    assert shown_spin.text() == typed and shown_spin.property("role") == "error"
    assert shown_spin.value() in (7, 2, 12, 1, 2000)
    QTest.keyClick(shown_spin, Qt.Key.Key_Return)
    assert (shown_spin.value(), shown_spin.text()) == (7, "7")
    assert not shown_spin.property("role") and QToolTip.text() == f"{typed} is not a whole number from 1 to {highest:,}"
    assert 25 not in accepted
    write(shown_spin, "12", is_pasted)
    QTest.keyClick(shown_spin, Qt.Key.Key_Up)
    write(shown_spin, typed, is_pasted)
    QTest.keyClick(shown_spin, Qt.Key.Key_Return)
    assert shown_spin.value() == 13


@pytest.mark.qt_log_ignore("propagateSizeHints")
def test_a_digit_more_or_less_keeps_a_number_with_thousands_valid(qtbot: QtBot, shown_spin: IntegerSpinBox) -> None:
    shown_spin.clearFocus()
    shown_spin.setValue(4_000)
    assert shown_spin.text() == "4,000"
    shown_spin.setFocus(Qt.FocusReason.MouseFocusReason)
    QTest.keyClick(shown_spin, Qt.Key.Key_End)
    QTest.keyClick(shown_spin, Qt.Key.Key_Backspace)
    assert shown_spin.value() == 400
    QTest.keyClicks(shown_spin, "00")
    assert shown_spin.value() == 40_000
    shown_spin.clearFocus()
    assert shown_spin.text() == "40,000"


@pytest.mark.qt_log_ignore("propagateSizeHints")
def test_the_same_rules_hold_before_a_suffix(qtbot: QtBot, shown_spin: IntegerSpinBox) -> None:
    shown_spin.setSuffix(" of 8")
    shown_spin.setRange(1, 8)
    for typed, accepted in (("2", 2), ("2,5", 2), ("3.5", 2), ("6", 6)):
        shown_spin.selectAll()
        QTest.keyClicks(shown_spin, typed)
        QTest.keyClick(shown_spin, Qt.Key.Key_Return)
        assert (shown_spin.value(), shown_spin.text()) == (accepted, f"{accepted} of 8")


def test_every_spin_box_of_the_window_is_one_of_ours(qtbot: QtBot, window: MainWindow) -> None:
    for index in range(len(window.views)):  # Anatomy builds its topics when they are shown
        window.show_view(index)
    for topic in range(window.anatomy_view.topics.count()):
        window.anatomy_view.topics.setCurrentRow(topic)
    spins = window.findChildren(QAbstractSpinBox)
    assert len(spins) > 8 and all(isinstance(spin, IntegerSpinBox | DecimalSpinBox) for spin in spins)


@pytest.fixture
def shown_spin(qtbot: QtBot) -> IntegerSpinBox:
    """A focused spin box from 1 to 50,000, at 7."""
    spin = IntegerSpinBox(Theme("light"))
    qtbot.addWidget(spin)
    spin.setRange(1, 50_000)
    spin.setValue(7)
    spin.show()
    spin.activateWindow()
    spin.setFocus()
    qtbot.waitUntil(spin.hasFocus, timeout=WAIT_MS)
    return spin


def write(spin: IntegerSpinBox, text: str, is_pasted: bool) -> None:
    """Replace the text by typing or pasting."""
    spin.selectAll()
    if is_pasted:
        QApplication.clipboard().setText(text)
        spin.lineEdit().paste()
    else:
        QTest.keyClicks(spin, text)
