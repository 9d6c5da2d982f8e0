"""Where a label is put: in a free position, or else on a curve rather than on a label, a mark or the edge."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QWidget

from gui.panels.learning.label_placer import LabelPlacer, candidate_middles


@pytest.fixture
def plot(stage: Callable[[QWidget, int, int], None]) -> pg.PlotWidget:
    """A plot of steps 0 to 100 and values 0 to 10."""
    made = pg.PlotWidget()
    stage(made, 640, 480)
    made.setRange(xRange=(0, 100), yRange=(0, 10), padding=0)
    return made


def square(placer: LabelPlacer, step: float, value: float, size: float = 20.0) -> QRectF:
    middle = placer.to_pixel(step, value)
    return QRectF(middle.x() - size / 2, middle.y() - size / 2, size, size)


def chosen(placer: LabelPlacer, *points: tuple[float, float]) -> tuple[float, float]:
    return placer.place_freest((square(placer, *place), place) for place in points)


def test_the_first_position_that_no_curve_crosses_is_chosen(plot: pg.PlotWidget) -> None:
    plot.plot([0, 100], [0, 10])
    for points, free in (([(50, 5), (50, 8), (50, 2)], (50, 8)), ([(80, 8), (80, 2)], (80, 2)), ([(9, 9)], (9, 9))):
        assert chosen(LabelPlacer(plot.plotItem), *points) == free


def test_a_curve_counts_between_its_ends_and_where_it_is_finite(plot: pg.PlotWidget) -> None:
    plot.plot([40, 45, 50, 55, 60], [5, np.nan, 5, np.inf, 5])
    for step, is_free in ((30, True), (41, False), (50, False), (59, False), (70, True)):
        assert chosen(LabelPlacer(plot.plotItem), (step, 5), (50, 9)) == ((step, 5) if is_free else (50, 9))


def test_a_curve_is_preferred_to_a_label_a_mark_or_the_edge(plot: pg.PlotWidget) -> None:
    plot.plot([0, 100], [5, 5])
    plot.plot([20], [8], pen=None, symbol="star", symbolSize=13)
    placer = LabelPlacer(plot.plotItem)
    assert chosen(placer, (20, 8), (100, 9), (50, 5)) == (50, 5)
    assert chosen(placer, (50, 5), (50, 9.9), (70, 5)) == (70, 5)  # a chosen position counts as taken


def test_pixels_and_axis_coordinates_convert_both_ways(plot: pg.PlotWidget) -> None:
    placer = LabelPlacer(plot.plotItem)
    assert placer.from_pixel(placer.to_pixel(30, 7)) == pytest.approx((30, 7))
    assert placer.to_pixel(100, 0).toTuple() == pytest.approx((placer.width, placer.height))


def test_candidate_middles_stay_within_the_length_nearest_first() -> None:
    middles = list(candidate_middles(20.0, 100.0, near=60.0))
    assert middles[0] == 60.0 and min(middles) == 10.0 and max(middles) == 90.0
    assert [abs(middle - 60.0) for middle in middles] == sorted(abs(middle - 60.0) for middle in middles)
    assert next(candidate_middles(20.0, 100.0, near=0.0)) == 10.0
    assert set(candidate_middles(120.0, 100.0, near=0.0)) == {60.0}
