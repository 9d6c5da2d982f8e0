"""The numbers on the axes of plots: formatted as everywhere, and none of them cut."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.history import History
from gui.panels.learning.plain_plot import PlainPlot
from gui.panels.learning.plot_style import NumberAxis
from gui.panels.learning.step_plot import StepPlot
from gui.pictures.picture_file import encoders_of
from gui.playhead import Playhead
from gui.theme import Theme

Stage = Callable[[QWidget, int, int], None]


class EmptyPlot(StepPlot):
    """A plot without curves."""

    def draw(self, history: History) -> None:
        """Draw nothing."""


@pytest.mark.parametrize("zoom", [100, 200])
@pytest.mark.parametrize("width", [1160, 1480])  # in windows of 1280 and 1600 pixels
@pytest.mark.parametrize("end", [1000, 1060, 5000, 20000])
def test_every_number_of_the_step_axis_is_written_with_separators(
    end: int, width: int, zoom: int, theme: Theme, stage: Stage
) -> None:
    theme.set_zoom(zoom)
    plot = EmptyPlot(theme, Playhead())
    plot.apply_theme()
    stage(plot, width, 160)
    plot.set_step_range(end)
    plot.set_value_range(0, 1)
    plot.grab()  # the first drawing measures the texts and sets the height of the axis
    QApplication.processEvents()
    texts = numbers_of(plot)
    assert f"{end // 1000 * 1000:,}" in texts
    assert not any(re.fullmatch(r"\d{4,}", text) for text in texts)


@pytest.mark.parametrize("zoom", [100, 150, 200])
@pytest.mark.parametrize("width", [250, 275, 300])  # of histograms in windows from 1280 pixels up
def test_neighbouring_numbers_of_an_axis_keep_a_distance(width: int, zoom: int, theme: Theme, stage: Stage) -> None:
    theme.set_zoom(zoom)
    plot = PlainPlot(theme)
    stage(plot, width, 160)
    plot.grab()  # sets the height of the axis
    QApplication.processEvents()
    axis = plot.getAxis("bottom")
    least = QFontMetricsF(axis.style["tickFont"]).horizontalAdvance("0") / 2 - 1
    for end in (*range(2, 61), 444, 1000, 1060, 4160, 5000, 12_000, 20_000, 100_000, 520_000, 1_500_000):
        plot.setXRange(0, end, padding=0.02)
        texts = drawn_on(axis)
        places = sorted((place.left(), place.right()) for place, _ in texts)
        gaps = [right[0] - left[1] for left, right in itertools.pairwise(places)]
        assert texts and min(gaps, default=least + 1) > least, (end, [text for _, text in texts])
        assert len(texts) > 1, end  # a single number shows no scale


@pytest.mark.parametrize("zoom", [100, 200])
def test_the_highest_number_of_an_axis_is_not_cut(zoom: int, theme: Theme, stage: Stage) -> None:
    theme.set_zoom(zoom)
    plot = EmptyPlot(theme, Playhead())
    plot.apply_theme()
    stage(plot, 600, 160)
    plot.set_step_range(1000)
    plot.set_value_range(0, 1)  # with a number at the upper end
    axis = plot.getAxis("left")
    numbers = drawn_on(axis)
    assert numbers[-1][1] == "1.0"
    assert all(axis.mapRectToScene(place).top() >= 0 for place, _ in numbers)


def numbers_of(widget: QWidget) -> list[str]:
    """All numbers that are written in the widget."""
    return re.findall(r">\s*([\d,.]+)\s*</text>", encoders_of([widget], "")[".svg"]().decode())


def test_different_numbers_are_written_differently(qtbot: QtBot) -> None:
    axis = NumberAxis("bottom")
    assert axis.tickStrings([999.5, 1000.0, 1000.5], 1, 0.5) == ["999.5", "1,000.0", "1,000.5"]
    assert axis.tickStrings([0, 1000, 2000], 1, 1000) == ["0", "1,000", "2,000"]


def drawn_on(axis: NumberAxis) -> list[tuple[QRectF, str]]:
    """The numbers of an axis with their rectangles."""
    image = QImage(1, 1, QImage.Format.Format_ARGB32)
    with QPainter(image) as painter:
        painter.setFont(axis.style["tickFont"])
        _, _, texts = axis.generateDrawSpecs(painter)
    return [(place, text) for place, _, text in texts]


@pytest.mark.parametrize("zoom", [100, 150, 200])
@pytest.mark.parametrize(("width", "height"), [(120, 128), (1160, 600)])
def test_an_axis_label_is_shortened_to_the_length_of_the_axis(
    zoom: int, width: int, height: int, theme: Theme, stage: Stage
) -> None:
    left, bottom = "loss, nats per <target> token", "tokens right, by place, of all the sentences"
    plot = PlainPlot(theme, left=left, bottom=bottom)
    theme.set_zoom(zoom)
    stage(plot, width * zoom // 100, height * zoom // 100)
    plot.grab()
    QApplication.processEvents()
    for side, name in (("left", left), ("bottom", bottom)):
        axis = plot.getAxis(side)
        length = axis.height() if side == "left" else axis.x() + axis.width()
        shown = axis.label.toPlainText()
        plot_area = plot.plotItem.sceneBoundingRect().adjusted(-6, -1, 1, 6)  # pyqtgraph moves it out by some pixels
        assert plot_area.contains(axis.label.sceneBoundingRect())
        assert shown == name or "…" in shown
        assert theme.colour("muted").name() in axis.label.toHtml()
        assert (shown == name) == (QFontMetricsF(axis.label.font()).horizontalAdvance(name) + 8 <= length)
