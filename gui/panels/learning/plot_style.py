"""The look of all plots: the theme's colours and sizes, and how axes write numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from itertools import pairwise, takewhile
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QGraphicsSceneResizeEvent

from gui.theme import Theme

_AXIS_WIDTH = 64  # the same for every plot, so that equal steps line up
_LAST_TICK_OVERHANG = 12  # pixels by which the number at the last tick may extend beyond the axis


class NumberAxis(pg.AxisItem):
    """Writes thousands as everywhere in the window, `1,000`, only numbers that are not cut off, and of its name as much
    as there is room for: pyqtgraph cuts both ends of the name off.
    """

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.enableAutoSIPrefix(False)  # else its label would have a unit prefix such as (x1k)

    def resizeEvent(self, event: QGraphicsSceneResizeEvent | None = None) -> None:
        if self.label is not None:  # as of a plot that is closed
            self.label.setHtml(self.labelString())
        super().resizeEvent(event)
        if self.label is not None and self.orientation == "bottom":
            self.label.setX(min(self.label.x(), self.width() - self.label.boundingRect().width()))

    def labelString(self) -> str:
        """Its name, in which `<` is no mark, cut in its middle; one at the bottom may reach below the other axis."""
        length = self.height() if self.orientation == "left" else self.x() + self.width()
        room = length - 2 * self.label.document().documentMargin()
        shown = QFontMetricsF(self.label.font()).elidedText(self.labelText, Qt.TextElideMode.ElideMiddle, room)
        style = "; ".join(f"{name}: {value}" for name, value in self.labelStyle.items())
        return f'<span style="{style}">{escape(shown)}</span>'

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:
        """pyqtgraph's spacing, widened until no two numbers of the first level touch.

        pyqtgraph considers only how long the axis is. If a single number would be left, any spacing that leaves two is
        used instead, since one does not show the scale.
        """
        shown, pixels = maxVal - minVal, size / (maxVal - minVal)
        levels: list[tuple[float, float]] = super().tickSpacing(minVal, maxVal, size)
        *_, (finest, _) = levels
        while self._measures_numbers and self._labels_overlap(levels[0][0], minVal, maxVal, pixels):
            shown *= 2
            levels = super().tickSpacing(minVal, minVal + shown, size)
        if not self._measures_numbers or len(self._uncut_labels(levels[0][0], minVal, maxVal, pixels)) > 1:
            return levels
        uneven = (finest * times for times in range(2, int((maxVal - minVal) // finest) + 1))
        fitting = (one for one in uneven if not self._labels_overlap(one, minVal, maxVal, pixels))
        two = (one for one in fitting if len(self._uncut_labels(one, minVal, maxVal, pixels)) > 1)
        return next(([(one, 0.0)] for one in two), levels)

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, Sequence[float]]]:
        """pyqtgraph's ticks, with numbers at the finer levels only as long as none touch.

        pyqtgraph itself goes by how full the axis is: that fails if most numbers have one digit and the last has two.
        """
        levels: list[tuple[float, Sequence[float]]] = super().tickValues(minVal, maxVal, size)
        if self._measures_numbers:
            pixels = size / (maxVal - minVal)
            finer = takewhile(lambda level: not self._labels_overlap(level[0], minVal, maxVal, pixels), levels[1:])
            self.style["maxTextLevel"] = len(list(finer))
        return levels

    @property
    def _measures_numbers(self) -> bool:
        """Whether numbers are side by side, in a known font."""
        return self.orientation == "bottom" and self.style["tickFont"] is not None

    def _labels_overlap(self, spacing: float, start: float, end: float, pixels: float) -> bool:
        """Whether two numbers touch, if written at this spacing; `pixels` is the length of 1."""
        gap = QFontMetricsF(self.style["tickFont"]).horizontalAdvance("0") / 2
        return any(
            left[1] + gap > right[0] for left, right in pairwise(self._uncut_labels(spacing, start, end, pixels))
        )

    def _uncut_labels(self, spacing: float, start: float, end: float, pixels: float) -> list[tuple[float, float]]:
        """The left and right ends, in pixels, of the numbers at this spacing that are not cut off."""
        metrics, margin = QFontMetricsF(self.style["tickFont"]), self.style["hideOverlappingLabels"]
        ticks = [spacing * multiple for multiple in range(math.ceil(start / spacing), math.floor(end / spacing) + 1)]
        widths = map(metrics.horizontalAdvance, self.tickStrings(ticks, 1.0, spacing))
        sides = [
            ((tick - start) * pixels - width / 2, (tick - start) * pixels + width / 2)
            for tick, width in zip(ticks, widths, strict=True)
        ]
        return [(left, right) for left, right in sides if left >= -margin and right <= (end - start) * pixels + margin]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        texts = super().tickStrings(values, scale, spacing)
        figures = [value * scale for value in values]
        places = max(0, math.ceil(-math.log10(spacing * scale)))  # decimals as for smaller numbers: 1,000.5, not 1,000
        return [
            f"{figure:,.{places}f}" if abs(figure) >= 1000 else text
            for figure, text in zip(figures, texts, strict=True)
        ]

    def generateDrawSpecs(self, painter: QPainter) -> Any:
        """Move the number at the upper end of a vertical axis below its tick, if it would be cut off there."""
        specs = super().generateDrawSpecs(painter)
        if specs is not None and self.orientation == "left":
            for rect, _, _ in specs[2]:
                rect.moveTop(max(rect.top(), self.rect().top()))
        return specs


def number_axes() -> dict[str, NumberAxis]:
    """The axes for a new plot."""
    return {side: NumberAxis(side) for side in ("left", "bottom")}


def style_plot(plot: pg.PlotWidget, theme: Theme) -> None:
    """Apply the theme to a plot; to be called again after each change of the theme."""
    plot.setBackground(theme.colour("surface"))
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setPen(theme.colour("line"), cosmetic=False)  # so that the lines of an axis scale in an exported picture
        axis.setTextPen(theme.colour("muted"))
        axis.setTickFont(theme.font(0.85))
        axis.label.setFont(theme.font(0.85))
        axis.resizeEvent()  # which writes its name anew
    plot.getAxis("left").setWidth(theme.px(_AXIS_WIDTH))
    half = theme.px(_LAST_TICK_OVERHANG)
    plot.getAxis("bottom").setStyle(hideOverlappingLabels=half)
    plot.plotItem.layout.setContentsMargins(1, 1, half, 1)
