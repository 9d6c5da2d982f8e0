"""The bridge delivers in the GUI thread what happens in the engine's thread."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.engine import Engine
from core.errors import UserError, WorkAborted
from core.events import Event, RunStarted, Trouble
from core.requests import OpenRun, SetPace
from core.run_files.metrics_file import MetricsFile, MetricsRecords
from gui.bridge import EngineBridge
from gui.runs.rows import example_path
from tests.gui.conftest import WAIT_MS


@pytest.fixture
def bridge(qtbot: QtBot, tmp_path: Path) -> Iterator[EngineBridge]:
    """A bridge to a real engine with nothing prepared."""
    made = EngineBridge(Engine(cache_dir=tmp_path))
    yield made
    made.close()


def test_answers_arrive_in_the_gui_thread(qtbot: QtBot, bridge: EngineBridge) -> None:
    threads: list[threading.Thread] = []
    bridge.ask(SetPace(steps_per_second=None), lambda _: threads.append(threading.current_thread()))
    bridge.run_in_background(lambda: 1, lambda _: threads.append(threading.current_thread()))
    qtbot.waitUntil(lambda: len(threads) == 2, timeout=WAIT_MS)
    assert set(threads) == {threading.main_thread()}


def test_an_answer_does_not_wait_for_the_next_tick(qtbot: QtBot, bridge: EngineBridge) -> None:
    bridge._timer.stop()
    answers: list[object] = []
    bridge.ask(SetPace(steps_per_second=None), answers.append)
    bridge.run_in_background(lambda: 1, answers.append)
    qtbot.waitUntil(lambda: len(answers) == 2, timeout=WAIT_MS)


class Caller:
    """Stands for a widget, which must be destroyed in the GUI thread."""

    def __init__(self, answers: list[object]) -> None:
        self._answers = answers

    def take(self, answer: object) -> None:
        self._answers.append(answer)


def test_callers_are_never_destroyed_in_the_thread_that_answers(qtbot: QtBot, bridge: EngineBridge) -> None:
    answers, threads = list[object](), list[threading.Thread]()
    caller, begin, end = Caller(answers), threading.Event(), threading.Event()
    weakref.finalize(caller, lambda: threads.append(threading.current_thread()))
    future = bridge.run_in_background(begin.wait, caller.take)
    future.add_done_callback(lambda _: end.wait())  # the other thread still has the future when it is answered here
    begin.set()
    qtbot.waitUntil(lambda: bool(answers), timeout=WAIT_MS)
    del caller, future
    end.set()
    qtbot.waitUntil(lambda: bool(threads), timeout=WAIT_MS)
    assert threads == [threading.main_thread()]


def test_a_refusal_goes_to_the_caller_or_to_the_strip(qtbot: QtBot, bridge: EngineBridge) -> None:
    errors: list[Exception] = []
    troubles: list[Trouble] = []
    bridge.trouble.connect(troubles.append)

    def fail() -> None:
        raise UserError("The sentence.", "The advice.")

    bridge.run_in_background(fail, on_error=errors.append)
    bridge.run_in_background(fail)
    qtbot.waitUntil(lambda: bool(errors and troubles), timeout=WAIT_MS)
    assert isinstance(errors[0], UserError)
    assert troubles == [Trouble(sentence="The sentence.", advice="The advice.")]


def test_an_interruption_is_reported_once(qtbot: QtBot, bridge: EngineBridge) -> None:
    troubles: list[Trouble] = []
    bridge.trouble.connect(troubles.append)
    for error in (WorkAborted("The disk is full."), ValueError("a fault, told by the engine"), UserError("Refused.")):
        bridge.show_refusal(error)
    assert troubles == [Trouble(sentence="Refused.")]


def test_a_flood_of_events_is_processed_in_bounded_ticks(qtbot: QtBot, bridge: EngineBridge) -> None:
    ticks: list[list[Event]] = []
    bridge.drained.connect(ticks.append)
    num_events = 50_000
    for number in range(num_events):
        bridge._inbox.append(Trouble(sentence=str(number)))
    qtbot.waitUntil(lambda: sum(map(len, ticks)) == num_events, timeout=WAIT_MS)
    assert len(ticks) > 1
    sentences = [event.sentence for tick in ticks for event in tick if isinstance(event, Trouble)]
    assert sentences == [str(number) for number in range(num_events)]


def test_a_tick_without_time_still_processes_one_event(
    qtbot: QtBot, bridge: EngineBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.bridge.BUDGET_S", -1.0)  # as if the machine had paused meanwhile
    ticks: list[list[Event]] = []
    bridge.drained.connect(ticks.append)
    events = [Trouble(sentence="One."), Trouble(sentence="Another.")]
    bridge._inbox.extend(events)
    qtbot.waitUntil(lambda: len(ticks) == 2, timeout=WAIT_MS)
    assert ticks == [[one] for one in events]


def test_errors_of_any_thread_reach_the_strip(qtbot: QtBot, bridge: EngineBridge) -> None:
    troubles: list[Trouble] = []
    bridge.trouble.connect(troubles.append)
    thread = threading.Thread(target=bridge.report, args=(ValueError("far away"),))
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: bool(troubles), timeout=WAIT_MS)
    assert "far away" in troubles[0].sentence


def test_a_failing_callback_does_not_keep_events_from_listeners(
    qtbot: QtBot, bridge: EngineBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.bridge.BUDGET_S", WAIT_MS / 1000)  # both in one tick, even on a busy machine
    events: list[Event] = []
    bridge.drained.connect(events.extend)
    event = Trouble(sentence="Before the answer.")

    def fail(_: object) -> None:
        raise ValueError("a slot of ours")

    bridge._inbox.append(event)
    bridge.run_in_background(lambda: None, fail)
    while len(bridge._inbox) < 2:
        time.sleep(0.001)
    with pytest.raises(ValueError, match="a slot of ours"):
        bridge.drain()
    assert events == [event]


def test_a_run_that_is_gone_as_it_begins_is_reported_and_its_event_emitted(
    qtbot: QtBot, bridge: EngineBridge, tmp_path: Path
) -> None:
    events, troubles, missing_run = list[RunStarted](), list[Trouble](), tmp_path / "gone"
    bridge.run_started.connect(events.append)
    bridge.trouble.connect(troubles.append)
    bridge._inbox.append(RunStarted(run=missing_run, step=0))
    qtbot.waitUntil(lambda: bool(events), timeout=WAIT_MS)
    assert events[0].run == missing_run and str(missing_run) in troubles[0].sentence


def test_an_opened_run_is_not_read_in_the_gui_thread(
    qtbot: QtBot, bridge: EngineBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers: list[threading.Thread] = []
    read = MetricsFile.read

    def note_and_read(file: MetricsFile, offset: int = 0) -> MetricsRecords:
        readers.append(threading.current_thread())
        return read(file, offset)

    monkeypatch.setattr(MetricsFile, "read", note_and_read)
    bridge.ask(OpenRun(run=example_path()))
    qtbot.waitUntil(lambda: bridge.history.last_step > 0, timeout=WAIT_MS)
    assert readers and threading.main_thread() not in readers
