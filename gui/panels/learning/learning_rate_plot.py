"""The learning rate, a strip on the axis of steps: as it was, and as the schedule plans it."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from core.config import RunConfig
from core.history import History
from core.schedules import learning_rate
from gui.panels.learning.step_plot import StepPlot
from gui.playhead import Playhead
from gui.theme import Theme

_PLANNED_POINTS = 200
_HEADROOM = 1.15


class LearningRatePlot(StepPlot):
    """Done steps as a line, planned ones dotted."""

    def __init__(self, theme: Theme, playhead: Playhead) -> None:
        super().__init__(theme, playhead)
        self._planned, self._done = self.plot(), self.long_curve()
        self._config: RunConfig | None = None  # whose plan is drawn
        self._peak = 0.0  # of that plan
        self.hideAxis("bottom")
        self.getAxis("left").setTicks([])
        self._name = pg.TextItem("learning rate", anchor=(0, 0))
        self.addItem(self._name, ignoreBounds=True)
        self.setAccessibleName("Learning rate over steps")
        self.take_theme()

    def take_theme(self) -> None:
        super().take_theme()
        self._done.setPen(pg.mkPen(self.theme.colour("good"), width=2))
        self._planned.setPen(pg.mkPen(self.theme.colour("muted"), width=1, style=Qt.PenStyle.DotLine))
        self._name.setColor(self.theme.colour("good"))
        self._name.setFont(self.theme.font(0.85))
        self.setFixedHeight(self.theme.px(40))

    def draw(self, history: History) -> None:
        if history.prepared is not None and history.prepared.config is not self._config:
            self._config = history.prepared.config
            self._plan(self._config)
        if self._peak and not self.is_held:
            self.show_values(0, self._peak * _HEADROOM)
        self._done.setData(*history.curve("train/learning_rate"))

    def _plan(self, config: RunConfig) -> None:
        """Draw what the schedule of these settings plans."""
        training = config.training
        steps = np.linspace(1, max(training.max_steps, 2), _PLANNED_POINTS).round()
        plan = learning_rate(training.schedule, training.optimizer, config.model.d_model, training.max_steps, steps)
        self._planned.setData(steps, plan)
        self._peak = float(np.max(plan))
        self._name.setText(f"learning rate, peak {self._peak:.2g}")
        self._name.setPos(0, self._peak * _HEADROOM)
