"""Clicks, types, chooses, drags and scrolls at random in a window; the same seed repeats the same actions."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QDesktopServices, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QMenu,
    QPushButton,
    QTableWidget,
    QToolButton,
    QWidget,
)

from gui.main_window import VIEWS, MainWindow
from tests.gui.conftest import SMALL

Key = Qt.Key
TEXTS = ("1 2 3", "", "-5", "nan", "auto", "0,5", "[[[", "<b>x</b> <unk>", "\U0001f600 \u0634\u0645\u0633", "1 " * 5000)
KEYS = (*map(ord, "123456789 []L"), Key.Key_Return, Key.Key_Tab, Key.Key_Escape, Key.Key_Left, Key.Key_Down)
CONTROL_KEYS = (*map(ord, "12345ERD+-0"), Key.Key_F1, Key.Key_F5)
CONTROLS = (QAbstractButton, QAbstractSlider, QComboBox, QLineEdit, QTableWidget)
LONG_TRAINING = SMALL.replace("max_steps: 40", "max_steps: 100000")  # so that most actions hit a run that is learning
OTHER_RUNS = "elsewhere"  # another folder of runs
POPUP_MS = 200
POPUP_TIMEOUT_S = 3.0
DISMISSED_SHARE = 0.3  # of the opened menus and lists: closed without a choice
BURST = 12  # clicks on the transport bar in direct succession


class Monkey(QObject):
    """Performs one random action at a time on a window, or a storm of clicks."""

    def __init__(self, window: MainWindow, seed: int) -> None:
        super().__init__(window)
        self.num_choices = 0  # from menus and lists
        self._window = window
        self._dice = random.Random(seed)
        timer = QTimer(self)  # a button's menu blocks in its own event loop, where this timer chooses
        timer.timeout.connect(self._choose)
        timer.start(POPUP_MS)
        self._weights: dict[Callable[[], None], int] = {
            self._use_any: 10,
            self._change_view: 3,
            self._press_key: 4,
            self._drag: 3,
            self._scroll: 1,
            self._resize: 1,
            self._open_a_list: 2,
            self._learn: 6,  # most can be lost during learning
            self._start_and_stop: 1,
            self._wait: 2,
        }

    def act(self) -> str:
        """Perform a random action; return its name."""
        if self._choose():
            return "choose"
        (action,) = self._dice.choices(list(self._weights), list(self._weights.values()))
        action()
        return action.__name__

    def _choose(self) -> bool:
        """Choose from the open menu or list, or close it; return whether one was open."""
        popup = QApplication.activePopupWidget()
        if popup is None:
            return False
        actions = [one for one in popup.actions() if one.isEnabled() and one.isVisible() and not one.isSeparator()]
        lists = [one for one in popup.findChildren(QAbstractItemView) if one.model().rowCount()]
        if self._dice.random() < DISMISSED_SHARE or not (actions or lists):
            return popup.close()
        self.num_choices += 1
        if isinstance(popup, QMenu):
            popup.setActiveAction(self._dice.choice(actions))
        else:
            model = lists[0].model()
            lists[0].setCurrentIndex(model.index(self._dice.randrange(model.rowCount()), 0))
        self._type(Key.Key_Return)
        return True

    def _type(self, key: Key | int, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press and release a key as the system does: Qt passes it to the popup or the focused widget."""
        QTest.keyClick(self._window.windowHandle(), key, modifier)

    def _within_reach(self, *kinds: type[QWidget]) -> list[QWidget]:
        widgets = self._window.findChildren(QWidget)
        return [one for one in widgets if isinstance(one, kinds) and one.isVisible() and one.isEnabled()]

    def _use_any(self) -> None:
        self._use(self._dice.choice(self._within_reach(*CONTROLS)))

    def _change_view(self) -> None:
        self._window.show_view(self._dice.randrange(len(VIEWS)))

    def _press_key(self) -> None:
        if self._dice.random() < 0.3:
            self._type(self._dice.choice(CONTROL_KEYS), Qt.KeyboardModifier.ControlModifier)
        else:
            self._type(self._dice.choice(KEYS))

    def _drag(self) -> None:
        widget = self._dice.choice(self._within_reach(QWidget))
        start, end = self._point(widget), self._point(widget)
        QTest.mousePress(widget, Qt.MouseButton.LeftButton, pos=start)
        QTest.mouseMove(widget, end)
        QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, pos=end)

    def _scroll(self) -> None:
        widget = self._dice.choice(self._within_reach(QWidget))
        point, zero = QPointF(self._point(widget)), QPoint()
        delta = QPoint(0, self._dice.choice((-120, 120)))
        no_button, no_modifier = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
        phase = Qt.ScrollPhase.NoScrollPhase
        QApplication.sendEvent(
            widget, QWheelEvent(point, widget.mapToGlobal(point), zero, delta, no_button, no_modifier, phase, False)
        )

    def _resize(self) -> None:
        self._window.resize(self._dice.randint(960, 1920), self._dice.randint(600, 1080))

    def _open_a_list(self) -> None:
        """Open a combo box or a button's menu; the timer then chooses from it."""
        kinds = QToolButton | QPushButton
        buttons = [one for one in self._within_reach(QAbstractButton) if isinstance(one, kinds) and one.menu()]
        widgets = [*self._within_reach(QComboBox), *buttons]
        if widgets:
            QTest.mouseClick(self._dice.choice(widgets), Qt.MouseButton.LeftButton)

    def _learn(self) -> None:
        """Learn, and wait until the engine does: a slow one would otherwise be busy starting most of the time."""
        bridge, button = self._window.context.bridge, self._window.transport.learn_button
        end = time.monotonic() + POPUP_TIMEOUT_S

        def wait_while(condition: Callable[[], bool]) -> None:
            while condition() and time.monotonic() < end:
                QTest.qWait(10)

        wait_while(lambda: bridge.state in ("starting", "preparing"))
        if bridge.state != "learning" and button.isEnabled():
            button.click()
            wait_while(lambda: bridge.state != "learning")

    def _start_and_stop(self) -> None:
        bar, workbench = self._window.transport, self._window.context.workbench
        buttons = (bar.learn_button, bar.learn_button, *bar.step_buttons, bar.reset_button, bar.finish_button)
        for _ in range(BURST):
            if self._dice.random() < 0.1:
                workbench.restart()
            else:
                self._dice.choice(buttons).click()

    def _wait(self) -> None:
        QTest.qWait(self._dice.choice((10, 100)))

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
            QTest.keyClick(control, Key.Key_Return)
        elif isinstance(control, QAbstractSlider):
            control.setValue(self._dice.randint(control.minimum(), control.maximum()))
        elif isinstance(control, QTableWidget):
            if control.rowCount():
                control.setCurrentCell(self._dice.randrange(control.rowCount()), 0)
                control.doubleClicked.emit(control.currentIndex())
        else:
            QTest.mouseClick(control, Qt.MouseButton.LeftButton)

    def _point(self, widget: QWidget) -> QPoint:
        return QPoint(self._dice.randrange(max(1, widget.width())), self._dice.randrange(max(1, widget.height())))


def answer_dialogs(patch: pytest.MonkeyPatch, folder: Path, seed: int) -> None:
    """Replace the blocking file dialogs: they cancel, or return good, broken and impossible files."""
    dice = random.Random(seed)
    good, broken = folder / "good.yaml", folder / "broken.yaml"
    good.write_text(LONG_TRAINING, encoding="utf-8")
    broken.write_text("format: 1\ndataset: [", encoding="utf-8")
    names = ("", str(good), str(broken), str(folder / "absent" / "x.yaml"), str(folder))
    folders = ("", str(folder / "runs"), str(folder / OTHER_RUNS))
    (folder / OTHER_RUNS).mkdir()

    def answer(*_: object) -> tuple[str, str]:
        return dice.choice(names), ""

    patch.setattr(QFileDialog, "getOpenFileName", answer)
    patch.setattr(QFileDialog, "getSaveFileName", answer)
    patch.setattr(QFileDialog, "getExistingDirectory", lambda *_: dice.choice(folders))
    patch.setattr(QFileDialog, "open", lambda dialog: dialog.fileSelected.emit(dice.choice(names)))
    patch.setattr(QDesktopServices, "openUrl", lambda _: False)  # no file manager is started
