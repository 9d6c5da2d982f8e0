"""A real window with a real engine, offscreen, and a task small enough to learn in a moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.engine import Engine
from gui.bridge import EngineBridge
from gui.main_window import MainWindow
from tests.gui.windows import opened_window

SMALL = """
format: 1
dataset:
  plugin: copy_task
  options: {num_symbols: 4, min_length: 3, max_length: 3}
model: {d_model: 16, num_heads: 2, num_encoder_layers: 1, num_decoder_layers: 1, d_ff: 16}
training: {batch_size: 4, max_steps: 40, validate_every: 1000, checkpoint_every: 1000}
"""
WAIT_MS = 100_000


@pytest.fixture
def small_file(tmp_path: Path) -> Path:
    """A file with the settings of a very small run."""
    path = tmp_path / "small.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return path


@pytest.fixture
def bridge(qtbot: QtBot, engines_share_a_host: None, tmp_path: Path) -> Iterator[EngineBridge]:
    """A bridge to a real engine with nothing prepared, without a window."""
    made = EngineBridge(Engine(cache_dir=tmp_path / "cache"))
    yield made
    made.close()


@pytest.fixture
def empty_window(
    qtbot: QtBot, engines_share_a_host: None, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MainWindow]:
    """The window as it opens, with nothing prepared; the tests share a cache, since most prepare the same data."""
    with opened_window(tmp_path, tmp_path_factory.getbasetemp() / "prepared") as window:
        yield window


@pytest.fixture
def window(qtbot: QtBot, empty_window: MainWindow, small_file: Path) -> MainWindow:
    """The window with the small task prepared and its first probe read."""
    empty_window.setup_drawer.open_file(small_file)
    history = empty_window.context.bridge.history
    qtbot.waitUntil(lambda: bool(history.probes.steps), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: empty_window.context.bridge.state == "ready", timeout=WAIT_MS)
    return empty_window


@pytest.fixture
def wait_for_state(qtbot: QtBot, window: MainWindow) -> Callable[[str], None]:
    """Wait until the engine is in a state and no opening is pending, since its answer comes after its events."""
    bridge, workbench = window.context.bridge, window.context.workbench
    return lambda state: qtbot.waitUntil(lambda: bridge.state == state and not workbench.is_opening, timeout=WAIT_MS)
