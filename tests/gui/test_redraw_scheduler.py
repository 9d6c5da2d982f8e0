"""When panels are drawn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
from PySide6.QtGui import QPaintEvent
from pytestqt.qtbot import QtBot

from core.answers.translation import Translation
from core.events import StateChanged
from core.history import History
from core.requests import Translate
from gui.main_window import MainWindow
from gui.panel import Panel
from gui.redraw_scheduler import LEARNING_SHARE, LONGEST_IDLE_REST_S, LONGEST_REST_S, SHORTEST_REST_S, rest_after
from gui.view import View
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.waiting import wait_for


class CountingPanel(Panel):
    """Counts how often it is drawn; the first drawing fails."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window.context.theme)
        self.drawn = 0

    def show_step(self, history: History, step: int) -> None:
        self.drawn += 1
        if self.drawn == 1:
            raise RuntimeError("this panel cannot be drawn")


def counting_panel(window: MainWindow, view: View) -> CountingPanel:
    """Add a panel to a view as if its first drawing had already failed."""
    panel = CountingPanel(window)
    panel.drawn = 1
    add_panels_to(view, panel)
    return panel


def add_panels_to(view: View, *panels: Panel) -> None:
    """Add panels to a view and to the scheduler, in this order."""
    for panel in panels:
        not_none(view.layout()).addWidget(panel)
        view.context.redraw_scheduler.add(panel)


@pytest.mark.qt_no_exception_capture
def test_a_panel_that_fails_does_not_end_the_drawing(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[BaseException] = []
    monkeypatch.setattr("sys.excepthook", lambda kind, error, trace: seen.append(error))
    panel = CountingPanel(window)
    add_panels_to(window.train_view, panel)
    qtbot.waitUntil(lambda: panel.drawn == 1, timeout=WAIT_MS)
    window.context.redraw_scheduler.mark_all()
    qtbot.waitUntil(lambda: panel.drawn == 2, timeout=WAIT_MS)
    assert [str(error) for error in seen] == ["this panel cannot be drawn"]
    seen.clear()


def test_a_hidden_panel_is_not_drawn(window: MainWindow, qtbot: QtBot) -> None:
    panel = counting_panel(window, window.attention_view)
    seen = counting_panel(window, window.train_view)  # its turn comes later
    window.context.redraw_scheduler.mark_all()
    qtbot.waitUntil(lambda: seen.drawn > 1, timeout=WAIT_MS)
    assert panel.drawn == 1
    window.show_view(1)
    qtbot.waitUntil(lambda: panel.drawn > 1, timeout=WAIT_MS)


def set_long_rests(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait until the scheduler rests for longer than any test waits."""
    monkeypatch.setattr("gui.redraw_scheduler.SHORTEST_REST_S", 1000.0)
    monkeypatch.setattr("gui.redraw_scheduler.LONGEST_IDLE_REST_S", 1000.0)
    monkeypatch.setattr("gui.redraw_scheduler.LONGEST_REST_S", 1000.0)
    qtbot.waitUntil(lambda: window.context.redraw_scheduler._timer.remainingTime() > 100_000, timeout=WAIT_MS)


def test_choices_other_steps_and_other_views_are_drawn_at_once(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel, hidden_panel = counting_panel(window, window.train_view), counting_panel(window, window.attention_view)
    set_long_rests(window, qtbot, monkeypatch)
    drawn = panel.drawn
    panel.mark_for_next_round()
    qtbot.wait(100)
    assert panel.drawn == drawn
    panel.mark_dirty()
    qtbot.waitUntil(lambda: panel.drawn > drawn, timeout=WAIT_MS)
    drawn = panel.drawn
    window.context.playhead.view(0)
    qtbot.waitUntil(lambda: panel.drawn > drawn, timeout=WAIT_MS)
    assert hidden_panel.drawn == 1
    window.show_view(1)
    qtbot.waitUntil(lambda: hidden_panel.drawn > 1, timeout=WAIT_MS)


class ClickedPanel(Panel):
    """Draws itself in two pieces; another panel is clicked in between."""

    def __init__(self, window: MainWindow, other: CountingPanel) -> None:
        super().__init__(window.context.theme)
        self.other, self.seen = other, 0

    def draw_in_pieces(self, history: History, step: int) -> Iterator[None]:
        yield
        self.seen = self.other.drawn
        self.other.mark_dirty()
        yield


def test_a_choice_is_drawn_at_once_even_after_the_panels_turn_in_the_round(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = CountingPanel(window)
    first.drawn = 1
    last = ClickedPanel(window, first)
    add_panels_to(window.train_view, first, last)
    set_long_rests(window, qtbot, monkeypatch)
    last.mark_dirty()
    qtbot.waitUntil(lambda: first.drawn > last.seen > 0, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.context.redraw_scheduler._timer.remainingTime() > 100_000, timeout=WAIT_MS)


def test_the_last_picture_is_drawn_at_once_when_learning_ends(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, wait_for_state: Callable[[str], None]
) -> None:
    panel = counting_panel(window, window.train_view)
    window.context.workbench.set_pace(1.0)
    window.context.workbench.learn()
    wait_for_state("learning")
    set_long_rests(window, qtbot, monkeypatch)
    qtbot.waitUntil(lambda: panel.is_dirty, timeout=WAIT_MS)  # it is out of date, but the scheduler rests
    drawn = panel.drawn
    window.transport.learn_button.click()
    wait_for_state("paused")
    qtbot.waitUntil(lambda: panel.drawn > drawn and not panel.is_dirty, timeout=WAIT_MS)


@pytest.mark.parametrize("cost", [0.0001, 0.01, 0.2])
def test_drawing_rests_until_it_costs_less_than_five_percent_of_the_learning(cost: float) -> None:
    rest = rest_after(cost, is_learning=True, is_paced=False)
    share = cost / (cost + rest)
    assert share < 0.05 and (share > 0.95 * LEARNING_SHARE or rest == SHORTEST_REST_S)


def test_a_picture_is_never_outdated_for_long() -> None:
    assert rest_after(4.0, is_learning=True, is_paced=False) == rest_after(0.3, is_learning=True, is_paced=False)
    assert rest_after(4.0, is_learning=True, is_paced=False) == LONGEST_REST_S > LONGEST_IDLE_REST_S


def test_rests_are_short_at_a_slow_pace_and_while_nothing_learns() -> None:
    assert rest_after(0.02, is_learning=True, is_paced=True) == rest_after(0.02, is_learning=True, is_paced=False)
    assert rest_after(4.0, is_learning=True, is_paced=True) == LONGEST_IDLE_REST_S
    assert rest_after(4.0, is_learning=False, is_paced=False) == LONGEST_IDLE_REST_S
    assert rest_after(0.1, is_learning=False, is_paced=False) < rest_after(0.1, is_learning=True, is_paced=False)


def test_the_engines_answers_count_as_cost_of_watching(window: MainWindow, qtbot: QtBot) -> None:
    bridge, scheduler = window.context.bridge, window.context.redraw_scheduler
    answers: list[Translation] = []
    bridge.ask(Translate(texts=(bridge.history.probes.sentences[0],)), answers.extend)
    qtbot.waitUntil(lambda: bool(answers), timeout=WAIT_MS)
    assert bridge.query_seconds == answers[0].seconds > 0
    window.context.workbench.set_pace(1.0)
    window.context.workbench.learn()
    qtbot.waitUntil(lambda: bridge.state == "learning", timeout=WAIT_MS)
    bridge.query_seconds += 100
    qtbot.waitUntil(lambda: scheduler.watching_share > 5, timeout=WAIT_MS)


def test_the_background_thread_counts_as_cost_of_watching(window: MainWindow, qtbot: QtBot) -> None:
    bridge, scheduler = window.context.bridge, window.context.redraw_scheduler
    before = bridge.background.seconds
    answers: list[float] = []
    bridge.run_in_background(lambda: use_processor(0.2), answers.append)
    qtbot.waitUntil(lambda: bool(answers), timeout=WAIT_MS)
    assert bridge.background.seconds - before >= answers[0]
    window.context.workbench.set_pace(1.0)
    window.context.workbench.learn()
    qtbot.waitUntil(lambda: bridge.state == "learning", timeout=WAIT_MS)
    bridge.background.seconds += 100
    qtbot.waitUntil(lambda: scheduler.watching_share > 5, timeout=WAIT_MS)


def use_processor(seconds: float) -> float:
    """Use the processor for this long; return the time used."""
    start = time.thread_time()
    while time.thread_time() - start < seconds:
        pass
    return time.thread_time() - start


def test_the_watching_share_does_not_depend_on_the_number_of_rounds(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler, (wall_time, cpu_time) = window.context.redraw_scheduler, (time.perf_counter(), time.thread_time())
    window.context.bridge.state = "learning"
    monkeypatch.setattr(
        "gui.redraw_scheduler.time", SimpleNamespace(perf_counter=lambda: wall_time, thread_time=lambda: cpu_time)
    )
    for _ in range(40):
        for passed, cost in ((0.1, 0.05), (0.9, 0.0)):
            wall_time, cpu_time = wall_time + passed, cpu_time + cost
            scheduler._next_rest()
    assert scheduler.watching_share == pytest.approx(0.05, rel=0.2)


def test_a_round_counts_with_its_rest_and_none_counts_before_learning(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler, (wall_time, cpu_time) = window.context.redraw_scheduler, (time.perf_counter(), time.thread_time())
    monkeypatch.setattr(
        "gui.redraw_scheduler.time", SimpleNamespace(perf_counter=lambda: wall_time, thread_time=lambda: cpu_time)
    )
    wall_time, cpu_time = wall_time + 0.1, cpu_time + 10.0  # such as the window's first layout
    window.context.bridge.state = "learning"
    window.context.bridge.state_changed.emit(StateChanged(state="learning", step=0))
    for rest in (0.0, 0.1 / LEARNING_SHARE, 0.1):  # the last rest is cut short, as by a user's choice
        wall_time, cpu_time = wall_time + rest + 0.1, cpu_time + 0.1
        scheduler._next_rest()
    expected = 0.3 / (0.1 + 0.1 / LEARNING_SHARE + 0.2 + 0.1 + 0.1 / LEARNING_SHARE)
    assert scheduler.watching_share == pytest.approx(expected, rel=0.2)


class BusyPanel(Panel):
    """Is out of date again as soon as it is drawn."""

    def show_step(self, history: History, step: int) -> None:
        self.mark_dirty()


def test_panels_take_turns(window: MainWindow, qtbot: QtBot) -> None:
    first, last = BusyPanel(window.context.theme), CountingPanel(window)
    last.drawn = 1
    add_panels_to(window.train_view, first, last)
    for drawn in (2, 3):
        last.mark_dirty()
        wait_for(qtbot, lambda drawn: last.drawn == drawn, drawn)


class PiecewisePanel(Panel):
    """Records its pieces and when it is painted."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window.context.theme)
        self.seen: list[str] = []

    def draw_in_pieces(self, history: History, step: int) -> Iterator[None]:
        for piece in ("first", "second"):
            self.seen.append(piece)
            self.update()
            yield

    def paintEvent(self, event: QPaintEvent) -> None:
        self.seen.append("painted")


def test_a_piece_is_painted_before_the_next_is_drawn(window: MainWindow, qtbot: QtBot) -> None:
    panel = PiecewisePanel(window)
    add_panels_to(window.train_view, panel)
    qtbot.waitUntil(lambda: "second" in panel.seen, timeout=WAIT_MS)
    assert "painted" in panel.seen[panel.seen.index("first") : panel.seen.index("second")]
