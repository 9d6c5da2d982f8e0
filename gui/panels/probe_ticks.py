"""Where there is something to look back at: a tick a probe, a taller one where the weights are kept too."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg

from core.history import History
from gui.panels.step_plot import StepPlot, renew
from gui.playhead import Playhead
from gui.theme import Theme


class ProbeTicks(StepPlot):
    """Ticks on the axis of steps."""

    def __init__(self, theme: Theme, playhead: Playhead) -> None:
        super().__init__(theme, playhead)
        self._probes, self._snapshots = self.plot(connect="pairs"), self.plot(connect="pairs")
        self.hideAxis("bottom")
        self.getAxis("left").setTicks([[(0.45, "probes")]])
        self.setYRange(0, 1, padding=0)
        self.setAccessibleName("Probes over steps")
        self.take_theme()

    def take_theme(self) -> None:
        super().take_theme()
        self._probes.setPen(pg.mkPen(self.theme.colour("muted"), width=1))
        self._snapshots.setPen(pg.mkPen(self.theme.colour("training"), width=2))
        self.setFixedHeight(self.theme.px(24))

    def draw(self, history: History) -> None:
        for curve, steps, height in (
            (self._probes, history.probe_steps, 0.5),
            (self._snapshots, history.snapshot_steps, 0.9),
        ):
            places = np.repeat(np.asarray(steps, dtype=np.float64), 2)
            renew(curve, places, np.tile([0.0, height], len(places) // 2))
