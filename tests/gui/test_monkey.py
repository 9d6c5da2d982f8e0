"""A monkey at the window while a tiny model trains: nothing it does may raise, and closing still saves."""

from __future__ import annotations

import random

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractSlider, QApplication, QComboBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from core.run_folder import RunFolder
from gui.main_window import MainWindow

SEED = 8
NUM_ACTS = 150
WAIT_MS = 30_000
DIALOGS = ("Open…", "Save as…")  # wait for a person
TEXTS = ("1 2 3", "", "-5", "nan", "auto", "[[[", "<b>x</b> <unk>", "\U0001f600 \u0634\u0645\u0633", "1 " * 5000)
KEYS = (*"123456789 []L", Qt.Key.Key_Return, Qt.Key.Key_Tab, Qt.Key.Key_Escape, Qt.Key.Key_Left, Qt.Key.Key_Down)


class Monkey:
    """Clicks, types, chooses and drags where a person could."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._dice = random.Random(SEED)

    def act(self) -> None:
        """Do one thing."""
        popup = QApplication.activePopupWidget()
        if popup is not None:
            popup.close()
            return
        within_reach = [one for one in self._window.findChildren(QWidget) if one.isVisible() and one.isEnabled()]
        controls = (QAbstractButton, QAbstractSlider, QComboBox, QLineEdit)
        match self._dice.randrange(6):
            case 0:
                self._window.show_view(self._dice.randrange(len(self._window.views)))
            case 1:
                self._press_key(QApplication.focusWidget() or self._window)
            case 2:
                self._drag(self._dice.choice(within_reach))
            case _:
                self._use(self._dice.choice([one for one in within_reach if isinstance(one, controls)]))

    def _press_key(self, widget: QWidget) -> None:
        key = self._dice.choice(KEYS)
        with_control = (
            Qt.KeyboardModifier.ControlModifier if self._dice.random() < 0.3 else Qt.KeyboardModifier.NoModifier
        )
        QTest.keyClick(widget, key, with_control)

    def _drag(self, widget: QWidget) -> None:
        start, end = self._point(widget), self._point(widget)
        QTest.mousePress(widget, Qt.MouseButton.LeftButton, pos=start)
        QTest.mouseMove(widget, end)
        QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, pos=end)

    def _use(self, control: QWidget) -> None:
        if isinstance(control, QComboBox):
            if control.count():
                place = self._dice.randrange(control.count())
                control.setCurrentIndex(place)
                control.activated.emit(place)
                control.textActivated.emit(control.itemText(place))
        elif isinstance(control, QLineEdit):
            control.setText(self._dice.choice(TEXTS))
            control.textEdited.emit(control.text())
            QTest.keyClick(control, Qt.Key.Key_Return)
        elif isinstance(control, QAbstractSlider):
            control.setValue(self._dice.randint(control.minimum(), control.maximum()))
        elif isinstance(control, QAbstractButton) and control.text() not in DIALOGS:
            QTest.mouseClick(control, Qt.MouseButton.LeftButton)

    def _point(self, widget: QWidget) -> QPoint:
        return QPoint(self._dice.randrange(max(1, widget.width())), self._dice.randrange(max(1, widget.height())))


@pytest.mark.qt_log_ignore("This plugin does not support")  # the offscreen screen, of any window that pops up
def test_nothing_a_monkey_does_breaks_the_window(qtbot: QtBot, window: MainWindow) -> None:
    bridge = window.context.bridge
    window.rail.setup_button.click()
    monkey = Monkey(window)
    for _ in range(NUM_ACTS):
        monkey.act()
        QApplication.processEvents()
        trouble = window.strip.trouble
        assert trouble is None or not trouble.details, trouble  # a sentence may be shown, a fault of ours may not
    left: list[int] = []
    window.left.connect(left.append)
    window.close()
    qtbot.waitUntil(lambda: left == [0], timeout=WAIT_MS)
    run = window.context.workbench.run
    if run is not None and bridge.history.last_step > 0:
        assert RunFolder.open(run).checkpoint_step("last") == bridge.history.last_step
