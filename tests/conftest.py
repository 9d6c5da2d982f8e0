"""Conditions of every test: it needs no display, touches no user files and leaves nothing running."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Set before anything imports Qt or torch: both read these variables once.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["LC_ALL"] = "C.UTF-8"  # the same number format everywhere, and no warning from Qt
os.environ.pop("DISPLAY", None)
os.environ.pop("WAYLAND_DISPLAY", None)
# Tests count pixels: ignore the scaling of the developer's screen.
os.environ.pop("QT_SCALE_FACTOR", None)
os.environ.pop("QT_SCREEN_SCALE_FACTORS", None)
os.environ.pop("QT_FONT_DPI", None)
# Without bytecode files, hundreds of processes would compile every module again: 5 % of the time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

import pytest
import tqdm
from hypothesis import settings

from tests.shared_host import (  # noqa: F401 (fixtures)
    check_hosts,
    checks_share_hosts,
    engines_share_a_host,
    module_shares_a_host,
    shared_host,
)

ROOT = Path(__file__).parents[1]
SCREEN_WIDTH, SCREEN_HEIGHT = 1600, 1000
GRACE_SECONDS = 20.0  # threads, processes and windows that are ending may take this long on a busy machine
MANY = 40  # so many frozen fixtures may have ended before everything is collected, which takes a quarter of a second
LEAST_ROUNDS = 10  # and never fewer rounds: on a busy machine, one collection may take seconds
USER_FOLDERS = {
    "HOME": "",
    "USERPROFILE": "",
    "APPDATA": "roaming",
    "LOCALAPPDATA": "local",
    "XDG_CACHE_HOME": "cache",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_RUNTIME_DIR": "",
    "XDG_STATE_HOME": "state",
    "HEADLIGHT_RUNS_DIR": "runs",
}

# nohup ignores SIGHUP and a script's background jobs ignore SIGINT; processes started by tests would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
tqdm.tqdm.monitor_interval = 0  # tqdm's monitor thread would outlive the first test with a progress bar
settings.register_profile("headlight", deadline=None, derandomize=True, database=None)
settings.load_profile("headlight")


gc.disable()  # a widget must not be destroyed in another thread (gui/garbage_collector.py): collect between tests
num_over = 0  # how many frozen fixtures may have ended


def pytest_fixture_post_finalizer(fixturedef: pytest.FixtureDef[object]) -> None:
    """Count the ended fixtures of modules and sessions: `set_aside` has frozen nearly all of them."""
    global num_over
    num_over += fixturedef.scope != "function"


def set_aside() -> None:
    """Exclude all objects that exist before a test from the collections and searches after it.

    Without this, both go through everything the worker has imported or made: soon hundreds of thousands of objects.
    """
    global num_over
    if num_over >= MANY:
        gc.unfreeze()
        num_over = 0
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)  # a hook of pytest-xdist, which may be switched off
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: tests also wait, for processes, windows and disks."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the wheel's tests first: at the end, idle workers steal each other's tests, and each would build a wheel."""
    items.sort(key=lambda item: item.path.name != "test_wheel.py")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--full`, which runs every case of tests/reliability."""
    parser.addoption("--full", action="store_true", help="try every case of tests/reliability, not only a few")


@pytest.fixture(scope="session", autouse=True)
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty home for fixtures of a module or session, which are made before a test's own home exists."""
    with empty_home(tmp_path_factory.mktemp("home")) as folder:
        yield folder


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty home for one test."""
    with empty_home(tmp_path_factory.mktemp("home")) as folder:
        yield folder


@contextlib.contextmanager
def empty_home(folder: Path) -> Iterator[Path]:
    """Use this folder as home, so that the user's settings, data, plugins and runs are out of reach."""
    with pytest.MonkeyPatch.context() as patch:
        for name, place in USER_FOLDERS.items():
            patch.setenv(name, str(folder / place))
        patch.delenv("HEADLIGHT_PLUGINS", raising=False)
        yield folder


@pytest.fixture(autouse=True)
def nothing_left_behind(home: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a thread, child process, timer or window behind."""
    with_qt = not {"qtbot", "qapp"}.isdisjoint(request.fixturenames)
    set_aside()
    before = set(leftovers(with_qt))
    yield
    deadline, rounds = time.monotonic() + GRACE_SECONDS, 0
    while (leftover := set(leftovers(with_qt)) - before) and (time.monotonic() < deadline or rounds < LEAST_ROUNDS):
        settle()
        time.sleep(0.02 if rounds else 0.0)  # a window is gone after the first round
        rounds += 1
    assert not leftover, f"left behind by this test: {', '.join(what for what, _ in leftover)}"


def leftovers(with_qt: bool) -> Iterator[tuple[str, int]]:
    """Yield a name and an identifying number of everything that can outlive a test."""
    for thread in threading.enumerate():
        if not isinstance(thread, threading._DummyThread):  # stands for a C++ thread and never ends
            yield f"thread {thread.name}", id(thread)
    for process, command in child_processes():
        yield f"process {process} ({command})", process
    if with_qt:
        yield from qt_leftovers()


def child_processes() -> Iterator[tuple[int, str]]:
    """Yield the child processes of this process with their command; only Linux has these files in /proc.

    The lists are read twice: when the thread that started a child ends, the child moves to another thread's list, and
    reading the lists one by one may miss it in both.
    """
    lists = (children for _ in range(2) for children in Path("/proc/self/task").glob("*/children"))
    for process in {process for children in lists for process in text_of(children).split()}:
        yield int(process), text_of(Path(f"/proc/{process}/comm")).strip()


def text_of(file: Path) -> str:
    """Read a file of /proc; empty if the thread or process has ended meanwhile."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return file.read_text()
    return ""


def qt_leftovers() -> Iterator[tuple[str, int]]:
    """Yield Qt's windows, running timers and running threads."""
    from PySide6.QtCore import QThread, QTimer
    from PySide6.QtWidgets import QApplication
    from shiboken6 import isValid

    for widget in QApplication.topLevelWidgets() if QApplication.instance() else ():
        yield f"window {type(widget).__name__} {widget.windowTitle()!r}", id(widget)
    timers, threads = set(subclasses(QTimer)), set(subclasses(QThread))
    for value in gc.get_objects():  # by exact type: isinstance would load the lazy proxies of other libraries
        if type(value) in timers and isValid(value) and value.isActive():
            yield f"timer of {value.interval()} ms", id(value)
        elif type(value) in threads and isValid(value) and value.isRunning():
            yield f"Qt thread {value.objectName()!r}", id(value)


def subclasses(kind: type[object]) -> Iterator[type[object]]:
    """Yield a type and all its subclasses."""
    yield kind
    for derived in kind.__subclasses__():
        yield from subclasses(derived)


def settle() -> None:
    """Let Qt's deferred deletions run, and collect garbage, whose finalisers join threads and reap processes."""
    core = sys.modules.get("PySide6.QtCore")
    if core is not None and core.QCoreApplication.instance() is not None:
        core.QCoreApplication.processEvents()
        core.QCoreApplication.sendPostedEvents(None, core.QEvent.Type.DeferredDelete)
    gc.collect()


@pytest.fixture
def headlight(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the real command line in a separate process: `headlight("train", "copy_task", ...)`."""

    def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(ROOT / "main.py"), *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=200, **options)

    return run


@dataclass(frozen=True)
class XDisplay:
    """A real X display without a screen: its picture is in a file."""

    name: str
    picture: Path

    def environment(self) -> dict[str, str]:
        """The environment in which Qt opens its windows on this display."""
        return os.environ | {"DISPLAY": self.name, "QT_QPA_PLATFORM": "xcb"}

    def num_colours(self) -> int:
        """The number of colours on the screen: 1 while it is empty, hundreds once a window with text is drawn."""
        pixels = self.picture.read_bytes()[-SCREEN_WIDTH * SCREEN_HEIGHT * 4 :]
        return len(set(memoryview(pixels).cast("I")))


@pytest.fixture(scope="session")
def x_display(tmp_path_factory: pytest.TempPathFactory) -> Iterator[XDisplay]:
    """An Xvfb server on a free display, which is stopped after the tests."""
    folder = tmp_path_factory.mktemp("screen")
    screen = ["-screen", "0", f"{SCREEN_WIDTH}x{SCREEN_HEIGHT}x24", "-fbdir", str(folder)]
    reading, writing = os.pipe()
    try:
        server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), *screen, "-nolisten", "tcp", "-noreset"],
            pass_fds=[writing],
            stderr=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        pytest.fail("Xvfb is not installed, so no real window can be tested; `make setup` installs it or says how.")
    finally:
        os.close(writing)
    with server, os.fdopen(reading) as answer:
        number = answer.readline().strip()
        assert number, "Xvfb ended before it had a display"
        yield XDisplay(f":{number}", folder / "Xvfb_screen0")
        server.terminate()
