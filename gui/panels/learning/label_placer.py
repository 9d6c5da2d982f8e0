"""Finds room for names in a plot: inside it, on no other name, and if possible on no curve."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
import pyqtgraph as pg
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QPointF, QRectF

_PADDING = 3.0  # pixels on each side of a name's rectangle that its letters do not use
_NUM_TRIED = 13  # how many positions are tried along a length
_OVERLAP_PENALTY = 100  # how many times worse a name is that is cut or covers another, than one that covers a curve

Placement = TypeVar("Placement")


class LabelPlacer:
    """Finds a place for each name among curves, marks and other names; pixels count from the plot's upper left."""

    def __init__(self, plot: pg.PlotItem, curves: Iterable[pg.PlotDataItem] | None = None) -> None:
        """Take all curves of the plot, or only the given ones, as covering room."""
        (self._first, last), (bottom, self._top) = plot.vb.viewRange()
        self.width, self.height = max(plot.vb.width(), 1.0), max(plot.vb.height(), 1.0)
        self._steps_per_pixel = (last - self._first) / self.width
        self._values_per_pixel = (self._top - bottom) / self.height
        self._taken: list[QRectF] = []
        self._curves: list[tuple[NDArray[Any], NDArray[Any]]] = []
        for curve in plot.listDataItems() if curves is None else curves:
            steps, values = curve.getOriginalDataset()
            if steps is not None and curve.opts["pen"] is not None:
                self.add_curve(steps, values)
            elif steps is not None:
                size = curve.opts["symbolSize"]
                self._taken += [self._mark(*point, size) for point in zip(steps, values, strict=True)]

    def add_curve(self, steps: ArrayLike, values: ArrayLike) -> None:
        """Take this curve, too, as covering room: points [N], ascending by step."""
        steps, values = np.asarray(steps, dtype=np.float64), np.asarray(values, dtype=np.float64)
        is_drawn = np.isfinite(values)
        if is_drawn.any():
            self._curves.append((steps, values) if is_drawn.all() else (steps[is_drawn], values[is_drawn]))

    def to_pixel(self, step: float, value: float) -> QPointF:
        """The pixel of a step and value."""
        return QPointF((step - self._first) / self._steps_per_pixel, (self._top - value) / self._values_per_pixel)

    def from_pixel(self, pixel: QPointF) -> tuple[float, float]:
        """Step and value at a pixel."""
        return self._first + pixel.x() * self._steps_per_pixel, self._top - pixel.y() * self._values_per_pixel

    def place_freest(self, choice: Iterable[tuple[QRectF, Placement]]) -> Placement:
        """Return what belongs to the first rectangle that covers nothing, or else the least, and take its room."""
        least = math.inf
        for rectangle, placement in choice:
            if (cost := self._cost(rectangle)) < least:
                least, taken, best = cost, rectangle, placement
            if not cost:
                break
        self._taken.append(taken)
        return best

    def _mark(self, step: float, value: float, size: float) -> QRectF:
        pixel = self.to_pixel(step, value)
        return QRectF(pixel.x() - size / 2, pixel.y() - size / 2, size, size)

    def _cost(self, name: QRectF) -> int:
        ground = QRectF(-0.5, -0.5, self.width + 1.0, self.height + 1.0)  # with a margin for rounding
        faults = sum(name.intersects(other) for other in self._taken) + (not ground.contains(name))
        letters = name.adjusted(_PADDING, _PADDING, -_PADDING, -_PADDING)
        return _OVERLAP_PENALTY * faults + sum(self._meets(letters, *curve) for curve in self._curves)

    def _meets(self, letters: QRectF, steps: NDArray[Any], values: NDArray[Any]) -> bool:
        """Whether a curve passes through this rectangle."""
        left, high = self.from_pixel(letters.topLeft())
        right, low = self.from_pixel(letters.bottomRight())
        left, right = max(left, steps[0]), min(right, steps[-1])
        if left > right:
            return False
        within = values[np.searchsorted(steps, left) : np.searchsorted(steps, right, "right")]
        seen = np.append(within, np.interp((left, right), steps, values))
        return bool(seen.min() <= high and seen.max() >= low)


def candidate_middles(size: float, length: float, near: float) -> Iterator[float]:
    """Positions for the middle of something of this size within a length, the nearest to `near` first."""
    lowest, highest = size / 2, max(length - size / 2, size / 2)
    yield min(max(near, lowest), highest)
    yield from sorted(np.linspace(lowest, highest, _NUM_TRIED).tolist(), key=lambda middle: abs(middle - near))
