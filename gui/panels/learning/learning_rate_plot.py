"""The plot of the learning rate, past and planned, as a strip over the axis of steps."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt

from core.config import RunConfig
from core.history import History
from gui.panels.learning.label_placer import LabelPlacer, candidate_middles
from gui.panels.learning.planned_schedule import planned_rates
from gui.panels.learning.step_plot import StepPlot, update_curve
from gui.playhead import Playhead
from gui.theme import Theme

_HEADROOM = 1.15
_GAP = 2.0  # pixels from step 0, at which the playhead is at first, to the name
_NAME_Z, _CURVES_Z = 11, 12  # above the playhead, which would strike through the name


class LearningRatePlot(StepPlot):
    """Draws the rates of steps taken as a solid line, planned ones dotted."""

    def __init__(self, theme: Theme, playhead: Playhead) -> None:
        super().__init__(theme, playhead)
        self._planned, self._done = self.plot(), self.long_curve()
        self._config: RunConfig | None = None  # the config that is planned
        self._plan = (np.empty(0), np.empty(0))  # steps and rates, from the first step to the last
        self._peak = 0.0  # the highest rate drawn
        self.hideAxis("bottom")
        self.getAxis("left").setTicks([])
        self._name = pg.TextItem("learning rate", anchor=(0, 0))
        self._name.setZValue(_NAME_Z)
        for curve in (self._planned, self._done):
            curve.setZValue(_CURVES_Z)  # in case the name has no other room
        self.addItem(self._name, ignoreBounds=True)
        self.setAccessibleName("Learning rate over steps")
        self.plotItem.vb.sigResized.connect(self._label_peak)
        self.apply_theme()

    def apply_theme(self) -> None:
        super().apply_theme()
        self._done.setPen(pg.mkPen(self.theme.colour("good"), width=2))
        self._planned.setPen(pg.mkPen(self.theme.colour("muted"), width=1, style=Qt.PenStyle.DotLine))
        self._name.setColor(self.theme.colour("good_text"))
        self._name.setFont(self.theme.font(0.85))
        self._name.fill = pg.mkBrush(self.theme.colour("surface", 0.85))
        self.setFixedHeight(self.theme.px(40))

    def draw(self, history: History) -> None:
        steps, rates = history.curve("train/learning_rate")
        if history.prepared is not None:
            planned = self._draw_plan(history.prepared.config, history.last_step)
            self._peak = max(float(part.max(initial=0.0)) for part in (rates, planned))
        if self._peak and not self.is_frozen:
            self.set_value_range(0, self._peak * _HEADROOM)
        update_curve(self._done, steps, rates)
        self._label_peak()

    def _draw_plan(self, config: RunConfig, last_step: int) -> np.ndarray:
        """Draw the plan only for steps to come: past ones may have had other settings. Returns the rates drawn."""
        if config is not self._config:
            self._config, self._plan = config, planned_rates(config)
        steps, rates = self._plan
        now = max(last_step, 1)
        is_later = steps > now
        drawn = np.append(np.interp(now, steps, rates), rates[is_later])
        update_curve(self._planned, np.append(now, steps[is_later]), drawn)
        return drawn

    def _label_peak(self) -> None:
        """Place the name above or below the line, as far left as possible without covering it."""
        if not self._peak:
            return
        self._name.setText(f"learning rate, peak {float(f'{self._peak:.2g}'):g}")  # 100, not 1e+02
        size = self._name.boundingRect().size()
        if self.is_layout_unchanged(size):
            return
        placer = LabelPlacer(self.plotItem)
        leftmost = placer.to_pixel(0, 0).x() + _GAP
        corners = (
            QPointF(middle - size.width() / 2, top)
            for middle in candidate_middles(size.width(), placer.width, near=leftmost + size.width() / 2)
            for top in (0.0, placer.height - size.height())
        )
        self._name.setPos(*placer.from_pixel(placer.place_freest((QRectF(corner, size), corner) for corner in corners)))
