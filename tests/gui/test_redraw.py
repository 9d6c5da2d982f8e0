"""When panels are drawn."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QPaintEvent
from pytestqt.qtbot import QtBot

from core.history import History
from gui.main_window import MainWindow
from gui.panel import Panel
from tests.gui.conftest import WAIT_MS


class Counting(Panel):
    """Counts how often it is drawn, and fails the first time."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window.context.theme)
        self.drawn = 0

    def show_step(self, history: History, step: int) -> None:
        self.drawn += 1
        if self.drawn == 1:
            raise RuntimeError("this panel cannot be drawn")


@pytest.mark.qt_no_exception_capture
def test_a_panel_that_fails_does_not_end_the_drawing(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[BaseException] = []
    monkeypatch.setattr("sys.excepthook", lambda kind, error, trace: seen.append(error))
    panel = Counting(window)
    window.train_view.layout().addWidget(panel)
    window.context.redraws.add(panel)
    qtbot.waitUntil(lambda: panel.drawn == 1, timeout=WAIT_MS)
    window.context.redraws.mark_all()
    qtbot.waitUntil(lambda: panel.drawn == 2, timeout=WAIT_MS)
    assert [str(error) for error in seen] == ["this panel cannot be drawn"]
    seen.clear()


def test_a_hidden_panel_is_not_drawn(window: MainWindow, qtbot: QtBot) -> None:
    panel = Counting(window)
    panel.drawn = 1
    window.attention_view.layout().addWidget(panel)
    window.context.redraws.add(panel)
    window.context.redraws.mark_all()
    qtbot.wait(300)
    assert panel.drawn == 1
    window.show_view(1)
    qtbot.waitUntil(lambda: panel.drawn > 1, timeout=WAIT_MS)


def rest_for_long(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the panels rest now, for longer than any test waits."""
    monkeypatch.setattr("gui.redraw.FASTEST_S", 1000.0)
    monkeypatch.setattr("gui.redraw.SLOWEST_S", 1000.0)
    qtbot.waitUntil(lambda: window.context.redraws._timer.remainingTime() > 100_000, timeout=WAIT_MS)


def test_another_step_is_drawn_at_once(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = Counting(window)
    panel.drawn = 1
    window.train_view.layout().addWidget(panel)
    window.context.redraws.add(panel)
    rest_for_long(window, qtbot, monkeypatch)
    drawn = panel.drawn
    window.context.playhead.view(0)
    qtbot.waitUntil(lambda: panel.drawn > drawn, timeout=WAIT_MS)


def test_another_view_is_drawn_at_once(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = Counting(window)
    panel.drawn = 1
    window.attention_view.layout().addWidget(panel)
    window.context.redraws.add(panel)
    rest_for_long(window, qtbot, monkeypatch)
    assert panel.drawn == 1
    window.show_view(1)
    qtbot.waitUntil(lambda: panel.drawn > 1, timeout=WAIT_MS)


class Busy(Panel):
    """Wants to be drawn again as soon as it is drawn."""

    def show_step(self, history: History, step: int) -> None:
        self.mark_dirty()


def test_panels_take_turns(window: MainWindow, qtbot: QtBot) -> None:
    first, last = Busy(window.context.theme), Counting(window)
    last.drawn = 1
    for panel in (first, last):
        window.train_view.layout().addWidget(panel)
        window.context.redraws.add(panel)
    for drawn in (2, 3):
        last.mark_dirty()
        qtbot.waitUntil(lambda drawn=drawn: last.drawn == drawn, timeout=WAIT_MS)


class Pieces(Panel):
    """Notes its pieces and when it is painted."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window.context.theme)
        self.seen: list[str] = []

    def pieces(self, history: History, step: int) -> Iterator[None]:
        for piece in ("first", "second"):
            self.seen.append(piece)
            self.update()
            yield

    def paintEvent(self, event: QPaintEvent) -> None:
        self.seen.append("painted")


def test_a_piece_is_painted_before_the_next_is_drawn(window: MainWindow, qtbot: QtBot) -> None:
    panel = Pieces(window)
    window.train_view.layout().addWidget(panel)
    window.context.redraws.add(panel)
    qtbot.waitUntil(lambda: "second" in panel.seen, timeout=WAIT_MS)
    assert "painted" in panel.seen[panel.seen.index("first") : panel.seen.index("second")]
