"""Histories with regular values, for panels that are drawn without an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtWidgets import QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from core.events import Prepared, ProbeDone, StepsDone, ValidationDone
from core.history import History
from core.probes import Probe
from core.settings.presets import read_preset
from gui.panels.learning.curves import Curves
from gui.panels.learning.time_strip import TimeStrip
from gui.playhead import Playhead
from gui.replay import Replay
from gui.theme import Theme
from tests.gui.builders import sentence
from tests.gui.conftest import WAIT_MS

NUM_STEPS = 400
AnyStepPanel = TypeVar("AnyStepPanel", Curves, TimeStrip)


@pytest.fixture
def stage(qtbot: QtBot) -> Iterator[Callable[[QWidget, int, int], None]]:
    """Show a panel in a window of this size, so that it has a parent as in the application."""
    window = QMainWindow()
    window.setMinimumSize(100, 100)  # the offscreen platform has no size hints and would warn

    def show(panel: QWidget, width: int, height: int) -> None:
        window.setCentralWidget(panel)
        window.resize(width, height)
        with qtbot.waitExposed(window, timeout=WAIT_MS):
            window.show()

    yield show
    window.close()
    for plot in window.findChildren(pg.PlotWidget):
        plot.getPlotItem().close()
    window.deleteLater()


@pytest.fixture
def theme(qapp: object) -> Theme:
    """The light theme, applied."""
    made = Theme("light")
    made.apply()
    return made


@pytest.fixture
def history() -> History:
    """400 steps with three probes of two sentences, and four validations, the third of which is the best."""
    made = History()
    made.apply(prepared())
    steps = np.arange(1, NUM_STEPS + 1)
    arrays = {"train/loss": 3 * np.exp(-steps / 80) + 0.7, "train/learning_rate": steps / NUM_STEPS * 1e-3}
    made.apply(StepsDone(first_step=1, arrays=arrays))
    for step in (0, 100, 300):
        made.apply(ProbeDone(probe=Probe(step=step, sentences=(sentence("ich will"), sentence("du willst bier")))))
    for step, loss in ((100, 1.5), (200, 0.9), (300, 0.8), (400, 0.95)):
        made.apply(ValidationDone(step=step, metrics={"valid/loss": loss}, sentences=(), is_best=loss != 0.95))
    return made


@pytest.fixture
def make_step_panel(
    stage: Callable[[QWidget, int, int], None], theme: Theme, history: History
) -> Callable[[type[AnyStepPanel], int], AnyStepPanel]:
    """Make a panel with a step axis, of this height; it shows the 400 steps of `history`, the playhead live."""

    def make(kind: type[AnyStepPanel], height: int) -> AnyStepPanel:
        playhead = Playhead()
        playhead.advance(NUM_STEPS)
        made = kind(theme, playhead, Replay(playhead, lambda: history.probes.steps))
        stage(made, 1100, height)
        made.show_step(history, NUM_STEPS)
        made.grab()
        return made

    return make


def prepared() -> Prepared:
    """The first preset with target vocabulary 50 and a noise floor."""
    return Prepared(
        config=read_preset("toy_german_english", ("training.max_steps=400",)),
        num_parameters=1,
        src_tokens=("a",) * 40,
        tgt_tokens=("b",) * 50,
        num_pairs={},
        left_out={},
        limits={"valid/loss": 0.537},
        examples=(),
        run=None,
    )
