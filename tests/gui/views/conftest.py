"""A window that translates: three German sentences, and a model small enough for hundreds of steps a second."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from core.settings.presets import read_preset
from gui.main_window import MainWindow
from tests.gui.conftest import WAIT_MS

SMALL = (
    "dataset.options.corpus=sentences",
    "model.d_model=16",
    "model.d_ff=32",
    "model.num_heads=2",
    "training.max_steps=2000",
    "training.num_threads=1",
)


@pytest.fixture
def german_window(empty_window: MainWindow, qtbot: QtBot) -> MainWindow:
    """The window with an untrained model of two encoder and two decoder layers."""
    bridge = empty_window.context.bridge
    empty_window.context.workbench.replace_draft(read_preset("toy_german_english", SMALL))
    qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
    return empty_window


@pytest.fixture
def learn(german_window: MainWindow, qtbot: QtBot) -> Callable[[int], None]:
    """Takes this many steps and waits until the run is paused."""

    def take(steps: int) -> None:
        bridge = german_window.context.bridge
        end = bridge.history.last_step + steps
        german_window.context.workbench.learn(steps)
        qtbot.waitUntil(lambda: bridge.state == "paused" and bridge.history.last_step == end, timeout=WAIT_MS)

    return take
