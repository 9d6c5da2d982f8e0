"""The plot of steps worth looking back at: a tick per probe, taller if weights are kept, and marks of events."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QBrush

from core.history import History
from core.runs.marks import Mark, MarkKind, collect_marks
from gui.panels.learning.step_plot import StepPlot, update_curve
from gui.playhead import Playhead
from gui.theme import Theme

_SYMBOLS: dict[MarkKind, str] = {"right": "o", "best": "star", "setting": "s", "aligned": "d", "noticed": "t"}
_MARK_HEIGHT, _MARK_SIZE = 0.72, 9
_STAR_HEIGHT, _STAR_SIZE = 0.62, 16  # larger than other marks, since the newest best is often under the playhead
_REACH = 5  # pixels by which a click may miss a mark or tick: half a mark; in a long run a pixel is many steps


class ProbeTicks(StepPlot):
    """Ticks and marks over the axis of steps; a mark's tooltip says what happened."""

    def __init__(self, theme: Theme, playhead: Playhead, name: str = "probes") -> None:
        super().__init__(theme, playhead)
        self._probes, self._kept = self.plot(connect="pairs"), self.plot(connect="pairs")
        self.marks: tuple[Mark, ...] = ()
        self._steps: Sequence[int] = ()  # the steps of all ticks
        self._marks = pg.ScatterPlotItem(hoverable=True, tip=_text_of)
        self._marks.setZValue(20)
        self.addItem(self._marks, ignoreBounds=True)
        self.hideAxis("bottom")
        self.getAxis("left").setTicks([[(0.45, name)]])
        self.setYRange(0, 1, padding=0)
        self.setAccessibleName("Probes over steps")
        self.apply_theme()

    def apply_theme(self) -> None:
        super().apply_theme()
        playhead_pen = pg.mkPen(self.theme.colour("text"), width=3)  # a thinner playhead would look like a tick
        self._playhead_line.setPen(playhead_pen)
        self._probes.setPen(pg.mkPen(self.theme.colour("muted"), width=1))
        self._kept.setPen(pg.mkPen(self.theme.colour("training"), width=2))
        self._marks.setPen(pg.mkPen(self.theme.colour("surface"), width=1))
        self._draw_marks()
        self.setFixedHeight(self.theme.px(24))

    def draw(self, history: History) -> None:
        probes, kept = history.probes.steps, history.kept_steps
        self._steps = [*probes, *kept]
        for curve, steps, height in ((self._probes, probes, 0.5), (self._kept, kept, 0.9)):
            xs = np.repeat(np.asarray(steps, dtype=np.float64), 2)
            update_curve(curve, xs, np.tile([0.0, height], len(xs) // 2))
        if (marks := collect_marks(history)) != self.marks:
            self.marks = marks
            self._draw_marks()

    def step_near(self, x: float) -> int:
        """The step of the mark at this place of the axis, or else of the tick, or else of the place itself."""
        reach = self.theme.px(_REACH) * self.plotItem.vb.viewPixelSize()[0]
        for steps in ([mark.step for mark in self.marks], self._steps):
            nearest = min(steps, key=lambda step: abs(step - x), default=math.inf)
            if abs(nearest - x) <= reach:
                return int(nearest)
        return super().step_near(x)

    def _draw_marks(self) -> None:
        self._marks.setData(
            x=[mark.step for mark in self.marks],
            y=[_STAR_HEIGHT if mark.kind == "best" else _MARK_HEIGHT for mark in self.marks],
            size=[self.theme.px(_STAR_SIZE if mark.kind == "best" else _MARK_SIZE) for mark in self.marks],
            symbol=[_SYMBOLS[mark.kind] for mark in self.marks],
            brush=[self._brush_of(mark) for mark in self.marks],
            data=[mark.text for mark in self.marks],
        )
        self.setAccessibleDescription(". ".join(mark.text for mark in self.marks))

    def _brush_of(self, mark: Mark) -> QBrush:
        return pg.mkBrush(self.theme.colour("validation" if mark.kind == "noticed" else "good"))


def _text_of(*, x: float, y: float, data: str) -> str:
    return data
