"""How every plot looks: the theme's colours and sizes on ground and axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import Any

import pyqtgraph as pg
from PySide6.QtGui import QFontMetricsF, QPainter

from gui.theme import Theme

_AXIS_WIDTH = 64  # of every plot, so that equal steps stand below each other
_HALF_A_NUMBER = 12  # pixels that the number at the last tick may stand out over the axis


class FigureAxis(pg.AxisItem):
    """Writes thousands as they are written everywhere: `1,000`; and each number whole."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.enableAutoSIPrefix(False)  # or its name would tell thousands and thousandths

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:
        """As of a longer axis where two numbers of the first level would touch each other: pyqtgraph asks only how long
        the axis is. Where that leaves one number alone, of any distance that leaves two: one says nothing of the scale.
        """
        shown, pixels = maxVal - minVal, size / (maxVal - minVal)
        levels: list[tuple[float, float]] = super().tickSpacing(minVal, maxVal, size)
        *_, (finest, _) = levels
        while self._measures_numbers and self._touch(levels[0][0], minVal, maxVal, pixels):
            shown *= 2
            levels = super().tickSpacing(minVal, minVal + shown, size)
        if not self._measures_numbers or len(self._whole(levels[0][0], minVal, maxVal, pixels)) > 1:
            return levels
        uneven = (finest * times for times in range(2, int((maxVal - minVal) // finest) + 1))
        fitting = (one for one in uneven if not self._touch(one, minVal, maxVal, pixels))
        two = (one for one in fitting if len(self._whole(one, minVal, maxVal, pixels)) > 1)
        return next(([(one, 0.0)] for one in two), levels)

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, Sequence[float]]]:
        """Finer levels of ticks are written as long as no numbers touch: pyqtgraph looks at how full the axis is of
        them, where most may be of one digit and the last of two.
        """
        levels: list[tuple[float, Sequence[float]]] = super().tickValues(minVal, maxVal, size)
        if self._measures_numbers:
            pixels = size / (maxVal - minVal)
            finer = takewhile(lambda level: not self._touch(level[0], minVal, maxVal, pixels), levels[1:])
            self.style["maxTextLevel"] = len(list(finer))
        return levels

    @property
    def _measures_numbers(self) -> bool:
        """Whether numbers stand beside each other, in a font that is known."""
        return self.orientation == "bottom" and self.style["tickFont"] is not None

    def _touch(self, spacing: float, start: float, end: float, pixels: float) -> bool:
        """Whether two of the numbers so far apart do, where so many pixels are 1."""
        gap = QFontMetricsF(self.style["tickFont"]).horizontalAdvance("0") / 2
        return any(left[1] + gap > right[0] for left, right in pairwise(self._whole(spacing, start, end, pixels)))

    def _whole(self, spacing: float, start: float, end: float, pixels: float) -> list[tuple[float, float]]:
        """From where to where the numbers so far apart stand, of those that are not cut off."""
        metrics, margin = QFontMetricsF(self.style["tickFont"]), self.style["hideOverlappingLabels"]
        ticks = [spacing * place for place in range(math.ceil(start / spacing), math.floor(end / spacing) + 1)]
        widths = map(metrics.horizontalAdvance, self.tickStrings(ticks, 1.0, spacing))
        sides = [
            ((tick - start) * pixels - width / 2, (tick - start) * pixels + width / 2)
            for tick, width in zip(ticks, widths, strict=True)
        ]
        return [(left, right) for left, right in sides if left >= -margin and right <= (end - start) * pixels + margin]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        texts = super().tickStrings(values, scale, spacing)
        figures = [value * scale for value in values]
        places = max(0, math.ceil(-math.log10(spacing * scale)))  # as of smaller ones: 1,000.5 is no 1,000
        return [
            f"{figure:,.{places}f}" if abs(figure) >= 1000 else text
            for figure, text in zip(figures, texts, strict=True)
        ]

    def generateDrawSpecs(self, painter: QPainter) -> Any:
        """With the number at the upper end of an upright axis lower than its tick, where the plot would cut it."""
        specs = super().generateDrawSpecs(painter)
        if specs is not None and self.orientation == "left":
            for rect, _, _ in specs[2]:
                rect.moveTop(max(rect.top(), self.rect().top()))
        return specs


def figure_axes() -> dict[str, FigureAxis]:
    """Those of a new plot."""
    return {side: FigureAxis(side) for side in ("left", "bottom")}


def style_plot(plot: pg.PlotWidget, theme: Theme) -> None:
    """Take what the theme says; also after each of its changes."""
    plot.setBackground(theme.colour("surface"))
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setPen(theme.colour("line"), cosmetic=False)  # an axis is drawn in pixels: its lines grow in a picture
        axis.setTextPen(theme.colour("muted"))
        axis.setTickFont(theme.font(0.85))
        axis.label.setFont(theme.font(0.85))
    plot.getAxis("left").setWidth(theme.px(_AXIS_WIDTH))
    half = theme.px(_HALF_A_NUMBER)
    plot.getAxis("bottom").setStyle(hideOverlappingLabels=half)
    plot.plotItem.layout.setContentsMargins(1, 1, half, 1)
