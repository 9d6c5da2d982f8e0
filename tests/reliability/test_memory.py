"""Promise 10: however long a run learns, the resources of the process do not grow."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from benchmarks.memory import Counts, count
from gui.main_window import MainWindow
from gui.panel import Panel
from tests.gui.conftest import SMALL, WAIT_MS, empty_window, small_file, window
from tests.gui.windows import opened_window

__all__ = ["empty_window", "small_file", "window"]  # fixtures

ROOT = Path(__file__).parents[2]
STEPS, WARM_UP = 200, 100  # between two counts, and before the first
WARM_UPS = 6  # at most
FREQUENT_TASKS = "probe_every: 20, validate_every: 50, checkpoint_every: 50"

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc to count open files")


def learn(window: MainWindow, qtbot: QtBot, steps: int) -> None:
    """Take this many steps; wait until the run is paused and the curves are drawn."""
    bridge = window.context.bridge
    before = bridge.history.last_step
    window.context.workbench.learn(steps)
    qtbot.waitUntil(lambda: bridge.history.last_step == before + steps, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not window.train_view.curves.is_dirty, timeout=WAIT_MS)


def all_drawn(window: MainWindow) -> bool:
    """Whether every visible panel is drawn."""
    return not any(panel.is_dirty for panel in window.findChildren(Panel) if panel.isVisible())


def count_held() -> Counts:
    """Count what the process holds, except megabytes, which the benchmark measures."""
    return count(0)._replace(megabytes=0)


def count_held_at_rest(window: MainWindow, qtbot: QtBot) -> Counts:
    """Warm up until a warm-up adds nothing; return the counts."""
    before = None
    for _ in range(WARM_UPS):
        learn(window, qtbot, WARM_UP)
        before, previous = count_held(), before
        if before == previous:
            return before
    raise AssertionError(f"the counts still grow after {WARM_UPS} warm-ups of {WARM_UP} steps: {before}")


def wait_until_no_more_than(before: Counts, qtbot: QtBot) -> None:
    """Wait until no count is higher than before; Qt's animations hold objects for a moment."""

    def assert_no_growth() -> None:
        counts = zip(before._fields, before, count_held(), strict=True)
        grown = {name: (allowed, now) for name, allowed, now in counts if now > allowed}
        assert not grown, grown

    qtbot.waitUntil(assert_no_growth, timeout=WAIT_MS)


@linux_only
def test_handles_threads_and_objects_do_not_grow(qtbot: QtBot, tmp_path: Path) -> None:
    settings = tmp_path / "small.yaml"
    text = SMALL.replace(
        "max_steps: 40, validate_every: 1000, checkpoint_every: 1000", f"max_steps: 9000, {FREQUENT_TASKS}"
    )
    settings.write_text(text, encoding="utf-8")
    with opened_window(tmp_path) as window:
        window.setup_drawer.open_file(settings)
        qtbot.waitUntil(lambda: window.context.bridge.state == "ready", timeout=WAIT_MS)
        for index in range(len(window.views)):
            window.show_view(index)
            qtbot.waitUntil(lambda: all_drawn(window), timeout=WAIT_MS)
        window.show_view(0)
        before = count_held_at_rest(window, qtbot)
        learn(window, qtbot, STEPS)
        wait_until_no_more_than(before, qtbot)
    assert before.handles > 0 and before.threads > 1 and before.objects > 100 and before.items > 10


@linux_only
def test_opening_and_resetting_repeatedly_leaves_nothing_behind(qtbot: QtBot, window: MainWindow) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.learn()
    qtbot.waitUntil(lambda: bridge.state == "finished", timeout=WAIT_MS)
    run = workbench.run
    assert run is not None
    open_and_reset(window, qtbot, run)
    before = count_held()
    for _ in range(3):
        open_and_reset(window, qtbot, run)
    wait_until_no_more_than(before, qtbot)


def open_and_reset(window: MainWindow, qtbot: QtBot, run: Path) -> None:
    """Open a run, reset, and take two steps."""
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.open_run(run)
    qtbot.waitUntil(lambda: bridge.state == "finished", timeout=WAIT_MS)
    workbench.reset()
    qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
    workbench.learn(2)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)


@linux_only
def test_a_long_run_does_not_grow(full: bool) -> None:
    if not full:
        pytest.skip("trains 20,000 steps: run make test-reliability")
    result = subprocess.run([sys.executable, "-m", "benchmarks.memory"], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
