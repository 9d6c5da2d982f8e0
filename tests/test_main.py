"""The entry point: it opens a window if there is a display, prints a sentence if not, and passes on verbs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
COMMAND = [sys.executable, str(ROOT / "main.py")]

MANY_COLOURS = 50  # anti-aliased text alone has this many


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux may have no display")
def test_without_a_display_it_says_how_to_train(tmp_path: Path) -> None:
    hidden = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
    result = subprocess.run(COMMAND, cwd=tmp_path, env=hidden, capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert "headlight train" in result.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux may have no display")
@pytest.mark.parametrize(
    "display", [{"DISPLAY": ":987"}, {"WAYLAND_DISPLAY": "wayland-987"}, {"QT_QPA_PLATFORM": "none"}]
)
def test_a_display_that_does_not_answer_is_reported_with_how_to_train(tmp_path: Path, display: dict[str, str]) -> None:
    hidden = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"} | display
    result = subprocess.run(COMMAND, cwd=tmp_path, env=hidden, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (2, "")
    (sentence,) = (line for line in result.stderr.splitlines() if line.startswith("headlight: "))
    assert "no window can be opened" in sentence and sentence.endswith("headlight train copy_task")


INTERRUPTED_IMPORT = """
import os, runpy, signal, sys
class InterruptingFinder:
    def find_spec(self, name, *_):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, InterruptingFinder())
sys.argv = {argv!r}
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="on Windows, os.kill ends a process at once")
@pytest.mark.parametrize(("name", "words"), [("core.cli.parser", ["presets", "list"]), ("core.engine", [])])
def test_an_interrupt_during_its_imports_ends_it_quietly(tmp_path: Path, name: str, words: list[str]) -> None:
    code = INTERRUPTED_IMPORT.format(name=name, argv=[str(ROOT / "main.py"), *words])
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


CHECK_STREAMS = """
import os, sys
sys.exit(not all(os.path.samestat(os.fstat(number), os.stat(os.devnull)) for number in range(3)))
"""
MAIN_WITH_STREAM_CHECK = f"""
import main, subprocess, sys
sys.argv = ["headlight"]
main.open_window = lambda: subprocess.run([sys.executable, "-c", {CHECK_STREAMS!r}]).returncode
sys.exit(main.main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell to close them")
def test_closed_streams_discard_output_in_the_window_and_its_children() -> None:
    """Otherwise a warning of Qt would be written to a file of the run or to the plugin process."""
    shell = ["sh", "-c", '"$@" <&- >&- 2>&-', "sh", sys.executable, "-c", MAIN_WITH_STREAM_CHECK]
    assert subprocess.run(shell, cwd=ROOT, timeout=200).returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="needs X")
def test_the_window_opens_on_a_real_display_and_ends_on_a_signal(x_display: Any, tmp_path: Path) -> None:
    process = subprocess.Popen(
        COMMAND, cwd=tmp_path, env=x_display.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        deadline = time.monotonic() + 100
        while x_display.num_colours() < MANY_COLOURS and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)
        num_colours = x_display.num_colours()
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=200)
    finally:
        process.kill()
    assert (num_colours >= MANY_COLOURS, errors) == (True, "")
    assert process.returncode in (0, 128 + signal.SIGTERM)
