"""The strip of a run's steps, below views that follow the playhead but have no curves."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy

from core.history import History
from gui.panels.learning.probe_ticks import ProbeTicks
from gui.panels.learning.step_panel import HELP, StepPanel
from gui.playhead import Playhead
from gui.replay import Replay
from gui.theme import GRID, Theme


class TimeStrip(StepPanel):
    """Shows probes, marks, the playhead (which can be dragged), and the buttons that play the run."""

    title = "Steps of the run"
    empty_sentence = "The steps of the run appear here as soon as there is a model."

    def __init__(self, theme: Theme, playhead: Playhead, replay: Replay) -> None:
        super().__init__(theme, playhead, replay)
        self.setObjectName("steps")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.title_label.hide()
        layout = self.layout()
        assert layout is not None
        layout.setContentsMargins(GRID, 0, GRID, 0)
        self._row = QHBoxLayout()
        self._row.setSpacing(GRID // 2)
        self.body.addLayout(self._row)
        for widget in (self.rewind_button, self.replay_button):
            self._row.addWidget(widget)
        self.setToolTip(HELP)

    def showEvent(self, event: QShowEvent) -> None:
        """Make the plot when it is first shown, so that the window's start does not wait for it."""
        if not self.plots:
            self.ticks = ProbeTicks(self.theme, self._playhead, name="step")  # no other axis names it here
            self.plots = (self.ticks,)
            self.connect_plot(self.ticks)
            self._row.addWidget(self.ticks, 1)

    def show_step(self, history: History, step: int) -> None:
        """Draw the probes so far with the playhead at `step`."""
        if history.prepared is None and history.last_step == 0:
            self.show_empty()
            return
        self.show_body()
        self.show_plots(history, step)
