"""The planned learning rate, drawn while its settings are typed."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg

from core.config import RunConfig
from core.schedules import learning_rate
from gui.theme import Theme

POINTS = 200


class SchedulePlot(pg.PlotWidget):
    """Learning rate over steps, without anything to drag."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(enableMenu=False)
        self._theme = theme
        self.setFixedHeight(112)
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.setAccessibleName("Planned learning rate")
        self._curve = self.plot()
        self.restyle()
        theme.changed.connect(self.restyle)

    def show_config(self, config: RunConfig) -> None:
        """Draw this config's schedule from the first step to the last."""
        training = config.training
        steps = np.linspace(1, training.max_steps, POINTS)
        rates = learning_rate(training.schedule, training.optimizer, config.model.d_model, training.max_steps, steps)
        self._curve.setData(steps, rates)
        self.setToolTip(f"Peak {rates.max():.2e}, last {rates[-1]:.2e}")

    def restyle(self) -> None:
        """The theme's colours and sizes."""
        self.setBackground(self._theme.colours.surface)
        self._curve.setPen(pg.mkPen(self._theme.colours.good, width=2))
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(self._theme.colours.line)
            axis.setTextPen(self._theme.colours.muted)
            axis.setTickFont(self._theme.font(0.8))
