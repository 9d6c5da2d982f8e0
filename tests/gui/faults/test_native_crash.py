"""A real window crashes in native code while it trains; the next window reports it and offers the run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from core.events import Trouble
from core.run_folder import list_runs
from gui.faults import native_crash
from gui.faults.native_crash import earlier_crashes, summary, trace_path
from gui.faults.unhandled_exceptions import log_path
from gui.main_window import MainWindow
from tests.gui.application import run_application

ROOT = Path(__file__).parents[3]

CRASHING_WINDOW = """
import faulthandler, sys
from core.machine.torch_import import stub_out_tracing
stub_out_tracing()
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from core.engine import Engine
from gui import app
from gui.main_window import MainWindow
application, requests = QApplication(sys.argv), []

def crash(window):
    if window.context.bridge.state == "ready" and not requests:
        requests.append(window.context.workbench.learn())
    elif window.context.bridge.history.last_step >= 5:
        faulthandler._sigsegv()

def poll():
    for window in application.topLevelWidgets():
        if isinstance(window, MainWindow):
            crash(window)

timer = QTimer()
timer.timeout.connect(poll)
timer.start(20)
with Engine() as engine:
    sys.exit(app.run(sys.argv, engine))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="on Windows, a crash opens a dialog")
def test_a_crash_is_reported_at_the_next_start_and_the_run_offered(
    qapp: QApplication, engines_share_a_host: None, home: Path, tmp_path: Path
) -> None:
    """The first window is a separate process, the next one this process."""
    crashed = subprocess.run([sys.executable, "-c", CRASHING_WINDOW], cwd=ROOT, capture_output=True, timeout=200)
    assert crashed.returncode < 0
    (run,) = list_runs(Path(os.environ["HEADLIGHT_RUNS_DIR"]))
    reports: list[tuple[Trouble, str, Path | None]] = []

    def read_report(window: MainWindow) -> None:
        banner, strip = window.resume_banner, window.trouble_strip
        if banner.isVisible() and strip.trouble is not None and not reports:
            reports.append((strip.trouble, strip.advice.text(), banner.run))
            window.close()

    assert run_application(read_report, tmp_path / "cache") == 0
    ((trouble, advice, offered),) = reports
    assert "Segmentation fault, in crash (<string>, line " in trouble.sentence
    assert "Current thread" in trouble.details and "crash.log" in advice
    assert offered == run
    assert log_path().read_text(encoding="utf-8").count("Fatal Python error: Segmentation fault") == 1
    assert [path.name for path in log_path().parent.iterdir()] == ["crash.log"]


def test_a_killed_process_is_not_reported_as_a_crash(home: Path) -> None:
    result = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True)
    trace = log_path().with_name(f"native-{result.stdout.strip()}.txt")
    trace.touch()
    assert earlier_crashes() == []
    assert not trace.exists()


def test_a_file_that_is_no_trace_is_left_alone(home: Path) -> None:
    stray = [log_path().with_name(f"native-{name}.txt") for name in ("x", "", "²-copy", "1.5", "20261128120000")]
    for path in stray:
        path.write_text("notes")
    assert earlier_crashes() == []
    assert all(path.exists() for path in stray)


def test_the_trace_of_a_live_window_is_left_alone(home: Path) -> None:
    trace = trace_path(os.getppid())
    trace.write_text("Fatal Python error: Aborted\n")
    assert earlier_crashes() == []
    assert trace.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports when a process began")
def test_a_crash_is_reported_by_a_window_with_the_same_process_number(home: Path) -> None:
    trace = log_path().with_name(f"native-{os.getpid()}-another-boot-77.txt")  # in a container, always the same pid
    trace.write_text("Fatal Python error: Aborted\n")
    assert [crash.details for crash in earlier_crashes()] == ["Fatal Python error: Aborted\n"]
    assert not trace.exists()


def test_a_crash_that_another_window_reports_is_not_reported_twice(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    removed, trace = (log_path().with_name(f"native-{number}.txt") for number in (1, 2))
    trace.write_text("Fatal Python error: Aborted\n")
    monkeypatch.setattr(native_crash, "_leftover_traces", lambda: [removed, trace])
    assert len(earlier_crashes()) == 1 and earlier_crashes() == []


@pytest.mark.parametrize(
    ("trace", "sentence"),
    [
        ("Fatal Python error: Aborted\n\n<no Python frame>\n", "Aborted."),
        ("Windows fatal exception: access violation\n", "access violation."),
        ("torn", "the process ended."),
    ],
)
def test_a_trace_is_summarised_in_a_sentence(trace: str, sentence: str) -> None:
    assert summary(trace) == sentence
