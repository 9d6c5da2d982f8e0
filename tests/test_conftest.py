"""The guards of conftest.py fail faulty tests and let clean tests pass."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CLEAN_TESTS = """
import os, subprocess, sys, threading, time
from pathlib import Path
import pytest
from hypothesis import given, strategies

def test_thread_joined():
    thread = threading.Thread(target=sum, args=([],))
    thread.start()
    thread.join()

def test_thread_that_is_ending():
    threading.Thread(target=time.sleep, args=(1.5,)).start()

def test_process_waited_for():
    subprocess.run([sys.executable, "-c", ""], check=True)

def test_window_given_to_qtbot(qtbot):
    from PySide6.QtWidgets import QLabel
    label = QLabel("a")
    qtbot.addWidget(label)
    label.show()

def test_home_is_empty():
    assert list(Path.home().iterdir()) == []
    assert Path(os.environ["HEADLIGHT_RUNS_DIR"]).parent == Path.home()

@pytest.fixture(scope="module")
def shared():
    return Path.home()

def test_home_of_what_is_shared_is_empty_too(shared):
    assert list(shared.iterdir()) == []
    assert shared != Path.home()

def test_torch_beside_qt(qtbot):
    import torch

@given(strategies.integers())
def test_properties(number):
    assert number == number
"""
FAULTY_TESTS = """
import subprocess, sys, threading, time, warnings
references = []

def test_thread():
    threading.Thread(target=time.sleep, args=(20,), daemon=True).start()

def test_process():
    references.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(20)"]))

def test_window(qapp):
    from PySide6.QtWidgets import QLabel
    references.append(QLabel("a"))

def test_timer(qapp):
    from PySide6.QtCore import QTimer
    references.append(QTimer())
    references[-1].start(50)

def test_python_warning():
    warnings.warn("old")

def test_qt_warning(qtbot):
    from PySide6.QtCore import qWarning
    qWarning("odd")
"""


def outcomes(folder: Path, tests: str, grace: float | None = None) -> dict[str, set[str]]:
    """Run these tests under our conftest.py and pytest settings; return the names of tests by outcome.

    `grace` replaces GRACE_SECONDS for tests that leave behind what does not end by itself.
    """
    (folder / "tests").mkdir()
    ours = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    theirs = ours if grace is None else re.sub(r"(?m)^GRACE_SECONDS = \S+", f"GRACE_SECONDS = {grace}", ours)
    (folder / "tests" / "conftest.py").write_text(theirs, encoding="utf-8")
    shutil.copy(ROOT / "tests" / "shared_host.py", folder / "tests")
    shutil.copy(ROOT / "pyproject.toml", folder / "pyproject.toml")
    shutil.copy(ROOT / "main.py", folder / "main.py")
    (folder / "tests" / "test_it.py").write_text(tests)
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider"]
    shown = subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout
    found: dict[str, set[str]] = {}
    for outcome, name in re.findall(r"^(PASSED|FAILED|ERROR) tests/test_it.py::test_(\w+)", shown, flags=re.MULTILINE):
        found.setdefault(outcome, set()).add(name)
    return found


def test_tests_that_clean_up_pass(tmp_path: Path, home: Path) -> None:
    (home / "of whoever runs the tests").touch()
    found = outcomes(tmp_path, CLEAN_TESTS)
    assert found == {"PASSED": set(re.findall(r"def test_(\w+)", CLEAN_TESTS))}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The outcomes of the faulty tests, run once."""
    return outcomes(tmp_path_factory.mktemp("faulty"), FAULTY_TESTS, grace=0.1)


@pytest.mark.parametrize("what", ["thread", "process", "window", "timer"])
def test_leaving_something_behind_is_an_error(faulty: dict[str, set[str]], what: str) -> None:
    assert what in faulty["ERROR"]


@pytest.mark.parametrize("what", ["python_warning", "qt_warning"])
def test_a_warning_fails(faulty: dict[str, set[str]], what: str) -> None:
    assert what in faulty["FAILED"]
