"""Accuracy by position and by length, teacher-forced and free-running."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QResizeEvent

from core.analysis.accuracy import AccuracyCurve
from core.analysis.validation_figures import ValidationFigures
from core.per_cent import per_cent
from gui.panel import Table
from gui.panels.learning.plain_plot import PlainPlot
from gui.panels.learning.step_plot import update_curve
from gui.panels.validation.validation_panel import ValidationPanel
from gui.theme import Theme
from gui.validation_reader import ValidationReader

_LEGEND = "Dots: teacher-forced. Squares, dashed: free-running."

# Pixels at 100 %.
_LOWEST = 56
_AXIS_WIDTH = 36
_NUMBER_WIDTH = 24


class AccuracyPlots(ValidationPanel):
    """For the validation at step s: the share of right symbols at each position, and of right sentences per length."""

    title = "Accuracy"
    empty_sentence = "Accuracy by position and by length appears here after the first validation."

    def __init__(self, theme: Theme, reader: ValidationReader) -> None:
        super().__init__(theme, reader, _LEGEND)
        self.by_position, self.by_length = AccuracyPlot(theme, "place"), AccuracyPlot(theme, "length")
        for plot in (self.by_position, self.by_length):
            plot.readout_changed.connect(self.show_readout)
            self.body.addWidget(plot, 1)
        self.body.addWidget(self.readout)

    def draw(self, figures: ValidationFigures) -> None:
        symbols = "tokens" if figures.symbols.are_tokens else "words"
        self.by_position.show_accuracy(figures.by_position, f"{symbols} right")
        self.by_length.show_accuracy(figures.by_length, "sentences right")

    def numbers(self) -> Table:
        """A row for each position, then one for each length."""
        head = ("by", "of", "sentences", "right teacher-forced", "right free-running")
        return [head, *(line for plot in (self.by_position, self.by_length) for line in plot.lines())]


class AccuracyPlot(PlainPlot):
    """Two curves from 0 to 1. `readout_changed` carries the figures under the mouse, or an empty string."""

    readout_changed = Signal(str)
    _accuracy: AccuracyCurve | None = None  # a class attribute, since pyqtgraph calls `resizeEvent` during `__init__`
    _numbered: tuple[int, int, int] | None = None  # the first key, the last, and the step from number to number

    def __init__(self, theme: Theme, key: str) -> None:
        super().__init__(theme)
        self._share, self._key = "", key
        self._free_running = self.plot(symbol="s", symbolSize=9, symbolBrush=None)  # frames dots that coincide with it
        self._teacher_forced = self.plot(symbol="o", symbolSize=5)
        self.setYRange(0, 1.1, padding=0)
        self.getAxis("left").setTicks([[(0, "0"), (0.5, "0.5"), (1, "1")]])
        self.setAccessibleName(f"Accuracy by {key}")
        self.pointed.connect(self._point)
        self.apply_curve_theme()
        theme.changed.connect(self.apply_curve_theme)

    def apply_theme(self) -> None:
        """Use less room than other plots: two of these and a legend fit into the height of one panel."""
        super().apply_theme()
        self.setMinimumHeight(self._theme.px(_LOWEST))
        self.getAxis("left").setWidth(self._theme.px(_AXIS_WIDTH))

    def apply_curve_theme(self) -> None:
        """Take the theme's colours."""
        for curve, name, style in (
            (self._teacher_forced, "training", Qt.PenStyle.SolidLine),
            (self._free_running, "validation", Qt.PenStyle.DashLine),
        ):
            curve.setPen(pg.mkPen(self._theme.colour(name), width=2, style=style))
            curve.setSymbolPen(self._theme.colour(name))
        self._teacher_forced.setSymbolBrush(self._theme.colour("training"))

    def show_accuracy(self, accuracy: AccuracyCurve, share: str) -> None:
        """Draw this; `share` says what it is a share of."""
        if accuracy is self._accuracy:
            return
        self._accuracy = accuracy
        self.readout_changed.emit("")  # the figures that were read out are outdated
        if share != self._share:
            self._share = share
            self.setLabel("bottom", f"{share}, by {self._key}")
        update_curve(self._teacher_forced, accuracy.keys, accuracy.teacher_forced)
        update_curve(self._free_running, accuracy.keys, accuracy.free_running)
        self._set_ticks()
        self.setAccessibleDescription(" ".join(map(self._explain, range(len(accuracy.keys)))))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_ticks()

    def _set_ticks(self) -> None:
        """Let the axis run from the first key to the last, with as many whole numbers as there is room for."""
        if self._accuracy is None or not len(self._accuracy.keys):
            return
        first, last = int(self._accuracy.keys[0]), int(self._accuracy.keys[-1])
        stride = math.ceil((last - first + 1) * self._theme.px(_NUMBER_WIDTH) / max(self.width(), 1))
        if self._numbered != (first, last, stride):
            self._numbered = first, last, stride
            self.setXRange(first - 0.5, last + 0.5, padding=0)
            self.getAxis("bottom").setTicks([[(key, str(key)) for key in range(first, last + 1, stride)]])

    def lines(self) -> list[tuple[object, ...]]:
        """The numbers drawn: a row (`by`, key, count, teacher-forced, free-running) for each key."""
        assert self._accuracy is not None
        made = self._accuracy
        columns = (made.keys, made.count, made.teacher_forced, made.free_running)
        return [(self._key, *row) for row in zip(*(column.tolist() for column in columns), strict=True)]

    def _point(self, point: QPointF) -> None:
        if self._accuracy is not None and len(self._accuracy.keys):
            self.readout_changed.emit(self._explain(int(np.argmin(np.abs(self._accuracy.keys - point.x())))))

    def _explain(self, index: int) -> str:
        made = self._accuracy
        assert made is not None
        teacher_forced, free_running = per_cent(made.teacher_forced[index], 1), per_cent(made.free_running[index], 1)
        count = int(made.count[index])
        return (
            f"{self._key.capitalize()} {made.keys[index]}: {self._share} {teacher_forced} teacher-forced, "
            f"{free_running} free-running, of {count:,} sentence{'s' * (count != 1)}."
        )
