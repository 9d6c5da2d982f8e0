"""Several processes train in a real window: with the usual views and requests, and after losing a process.

One window serves for everything, as torchrun takes seconds to start.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from core.events import StateChanged
from core.requests import AddSentence, ChangeSetting, Translate
from core.run_folder import RunFolder
from gui.bridge import EngineBridge
from gui.main_window import MainWindow
from gui.preferences import load_preferences, save_preferences
from tests.core.processes.worker_pids import worker_pids
from tests.gui.conftest import SMALL

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs torchrun and /proc of Linux")

WAIT_MS = 120_000  # torchrun may take long to start on a busy machine
WITHOUT_DROPOUT = SMALL.replace("d_ff: 16}", "d_ff: 16, dropout: 0.0}")
WaitForState = Callable[[str], None]


@pytest.fixture
def small_file(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(WITHOUT_DROPOUT, encoding="utf-8")
    return path


def test_training_asking_and_losing_processes_in_a_window(
    qtbot: QtBot, window: MainWindow, wait_for_state: WaitForState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))  # for the started processes; this one has cached its own
    require_failed_start_changes_nothing(qtbot, window, tmp_path)
    one_process = losses_of_ten_steps(window, qtbot, num_processes=1)
    assert worker_pids() == {}
    window.transport.reset_button.click()
    wait_for_state("ready")
    two_processes = losses_of_ten_steps(window, qtbot, num_processes=2)
    assert sorted(worker_pids()) == [0, 1]
    np.testing.assert_allclose(two_processes, one_process, rtol=0, atol=1e-5)
    require_requests_are_answered(qtbot, window)
    save_preferences(window, tmp_path / "window.json")
    assert load_preferences(tmp_path / "window.json").num_processes == 2
    # The first process reports it, or the window if the first process is too late on a busy machine.
    sentences = ("Another process of this run has ended", "One of the 2 processes that train this run has ended")
    assert kill_worker(1, window, qtbot).startswith(sentences)
    run, step = window.context.workbench.run, window.context.bridge.history.last_step
    assert run is not None and RunFolder.open(run).checkpoint_step("last") == step  # nothing was lost
    losses_of_ten_steps(window, qtbot, num_processes=2)
    sentence = kill_worker(0, window, qtbot)
    assert "The first of the 2 processes that train this run has ended" in sentence
    assert len(losses_of_ten_steps(window, qtbot, num_processes=1)) > len(two_processes)
    assert worker_pids() == {} and not [*temporary.iterdir()]


@contextmanager
def noted_states(bridge: EngineBridge) -> Iterator[list[str]]:
    """The states of the engine within the block."""
    states = list[str]()

    def note(change: StateChanged) -> None:
        states.append(change.state)

    bridge.state_changed.connect(note)
    yield states
    bridge.state_changed.disconnect(note)


def require_failed_start_changes_nothing(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    bridge = window.context.bridge
    broken = tmp_path / "broken" / "torch"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('no torch here')")
    window.setup_drawer.processes_row.spin.setValue(2)
    with pytest.MonkeyPatch.context() as patch, noted_states(bridge) as states:
        patch.setenv("PYTHONPATH", str(broken.parent))
        window.transport.step_buttons[1].click()
        qtbot.waitUntil(lambda: "preparing" in states and bridge.state == "paused", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.trouble_strip.trouble is not None, timeout=WAIT_MS)  # Learn is answered last
    trouble = window.trouble_strip.trouble
    assert trouble is not None
    assert trouble.sentence == "2 processes could not be started: ImportError: no torch here."
    assert window.context.bridge.history.last_step == 0
    window.trouble_strip.dismiss()


def losses_of_ten_steps(window: MainWindow, qtbot: QtBot, *, num_processes: int) -> np.ndarray:
    """Train ten more steps; return the losses of all steps of the run."""
    bridge = window.context.bridge
    window.setup_drawer.processes_row.spin.setValue(num_processes)
    with noted_states(bridge) as states:
        window.transport.step_buttons[1].click()
        qtbot.waitUntil(lambda: "learning" in states and bridge.state == "paused", timeout=WAIT_MS)
    assert bridge.history.probes.steps[-1] == bridge.history.last_step
    return np.asarray(bridge.history.curve("train/loss")[1])


def require_requests_are_answered(qtbot: QtBot, window: MainWindow) -> None:
    bridge, answers, length = window.context.bridge, list[Any](), window.context.bridge.history.last_step
    bridge.ask(Translate(texts=("1 2 3",), with_attention=True), answers.append)
    bridge.ask(AddSentence(source="2 2 3"), answers.append)
    bridge.ask(ChangeSetting(key="training.max_steps", value=10**6), answers.append)
    qtbot.waitUntil(lambda: len(answers) == 3, timeout=WAIT_MS)
    assert answers[0][0].step == length and answers[0][0].sentence is not None
    processes, spin = worker_pids(), window.setup_drawer.processes_row.spin
    spin.setValue(1)
    spin.setValue(2)  # a change of mind
    window.transport.learn_button.click()
    qtbot.waitUntil(lambda: bridge.history.last_step > length + 5, timeout=WAIT_MS)
    assert worker_pids() == processes
    assert "2 2 3" in bridge.history.probes.sentences


def kill_worker(rank: int, window: MainWindow, qtbot: QtBot) -> str:
    """Kill a process, which reopens the run here at its last checkpoint; return the error sentence."""
    bridge, strip = window.context.bridge, window.trouble_strip
    with noted_states(bridge) as states:
        os.kill(worker_pids()[rank], signal.SIGKILL)
        qtbot.waitUntil(lambda: strip.trouble is not None and bridge.state == "paused", timeout=WAIT_MS)
        qtbot.waitUntil(lambda: states[-2:] == ["preparing", "paused"], timeout=WAIT_MS)  # reopened in this process
    qtbot.waitUntil(lambda: worker_pids() == {}, timeout=WAIT_MS)
    trouble = strip.trouble
    assert trouble is not None
    window.trouble_strip.dismiss()
    return trouble.sentence
