"""The panel of the planned learning rate, drawn while its settings are typed."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg

from core.config import RunConfig
from core.history import History
from core.schedules import learning_rate
from gui.panel import Panel, Table
from gui.panels.learning.plain_plot import PlainPlot
from gui.theme import Theme

_POINTS = 200


class PlannedSchedule(Panel):
    """Draws the schedule of the settings in Setup, not of a run, and so the same at every step."""

    title = "Planned learning rate"
    empty_sentence = "Choose a preset: its learning rate appears here."
    is_picture = True
    redraw_on = ()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._config: RunConfig | None = None
        self.setObjectName("")  # no frame among Setup's fields
        layout = self.layout()
        assert layout is not None
        layout.setContentsMargins(0, 0, 0, 0)

    def build_body(self) -> None:
        self.plot = PlainPlot(self.theme, "Planned learning rate over steps", left="learning rate", bottom="step")
        self._curve = self.plot.plot()
        self.body.addWidget(self.plot)

    def show_config(self, config: RunConfig) -> None:
        """Draw this config's schedule; at once if it is visible."""
        if config != self._config:
            self._config = config
            self.mark_dirty()

    def show_step(self, history: History, step: int) -> None:
        """Draw the schedule of the last config shown, whatever the run."""
        if self._config is None:
            self.show_empty()
            return
        self.show_body()
        steps, rates = planned_rates(self._config)
        self._curve.setPen(pg.mkPen(self.theme.colour("good"), width=2))
        self._curve.setData(steps, rates)
        self.plot.setToolTip(f"Peak {rates.max():.3g}, last {rates[-1]:.3g}")

    def numbers(self) -> Table:
        """A row for each drawn step."""
        assert self._config is not None
        steps, rates = planned_rates(self._config)
        return [("step", "learning rate"), *zip(steps.astype(int).tolist(), rates.tolist(), strict=True)]


def planned_rates(config: RunConfig) -> tuple[np.ndarray, np.ndarray]:
    """Some 200 steps from the first to max_steps, that of the peak among them, and this config's rate at each."""
    training = config.training
    peak = min(max(training.schedule.warmup_steps, 1), training.max_steps)
    steps = np.unique([*np.linspace(1, training.max_steps, _POINTS).round(), peak])
    rates = learning_rate(training.schedule, training.optimizer, config.model.d_model, training.max_steps, steps)
    return steps, rates
