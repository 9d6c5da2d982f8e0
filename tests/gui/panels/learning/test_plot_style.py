"""Numbers on the axes of plots: written as everywhere, the last one too."""

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
    """Without any curve."""

    def draw(self, history: History) -> None:
        """Nothing."""


@pytest.mark.parametrize("zoom", [100, 200])
@pytest.mark.parametrize("width", [1160, 1480])  # of the window of 1280 and 1600 pixels
@pytest.mark.parametrize("end", [1000, 1060, 5000, 20000])
def test_each_number_of_the_axis_of_steps_is_written_in_full(
    end: int, width: int, zoom: int, theme: Theme, stage: Stage
) -> None:
    theme.set_zoom(zoom)
    plot = EmptyPlot(theme, Playhead())
    plot.apply_theme()
    stage(plot, width, 160)
    plot.set_step_range(end)
    plot.set_value_range(0, 1)
    plot.grab()  # the first drawing measures the texts, and has the axis be as high as these
    QApplication.processEvents()
    texts = numbers_of(plot)
    assert f"{end // 1000 * 1000:,}" in texts
    assert not any(re.fullmatch(r"\d{4,}", text) for text in texts)


@pytest.mark.parametrize("zoom", [100, 150, 200])
@pytest.mark.parametrize("width", [250, 275, 300])  # of lengths in a window of 1280 pixels, and of larger ones
def test_no_two_numbers_touch_each_other(width: int, zoom: int, theme: Theme, stage: Stage) -> None:
    theme.set_zoom(zoom)
    plot = PlainPlot(theme)
    stage(plot, width, 160)
    plot.grab()  # which has the axis be as high as its numbers
    QApplication.processEvents()
    axis = plot.getAxis("bottom")
    least = QFontMetricsF(axis.style["tickFont"]).horizontalAdvance("0") / 2 - 1
    for end in (*range(2, 61), 444, 1000, 1060, 4160, 5000, 12_000, 20_000, 100_000, 520_000, 1_500_000):
        plot.setXRange(0, end, padding=0.02)
        texts = drawn_on(axis)
        places = sorted((place.left(), place.right()) for place, _ in texts)
        gaps = [right[0] - left[1] for left, right in itertools.pairwise(places)]
        assert texts and min(gaps, default=least + 1) > least, (end, [text for _, text in texts])
        assert len(texts) > 1, end  # one alone says nothing of the scale


@pytest.mark.parametrize("zoom", [100, 200])
def test_the_highest_number_of_an_axis_is_not_cut(zoom: int, theme: Theme, stage: Stage) -> None:
    theme.set_zoom(zoom)
    plot = EmptyPlot(theme, Playhead())
    plot.apply_theme()
    stage(plot, 600, 160)
    plot.set_step_range(1000)
    plot.set_value_range(0, 1)  # with a number at its upper end
    axis = plot.getAxis("left")
    numbers = drawn_on(axis)
    assert numbers[-1][1] == "1.0"
    assert all(axis.mapRectToScene(place).top() >= 0 for place, _ in numbers)


def numbers_of(widget: QWidget) -> list[str]:
    """All that is written in it."""
    return re.findall(r">\s*([\d,.]+)\s*</text>", encoders_of([widget])[".svg"]().decode())


def test_numbers_that_differ_are_written_differently(qtbot: QtBot) -> None:
    axis = NumberAxis("bottom")
    assert axis.tickStrings([999.5, 1000.0, 1000.5], 1, 0.5) == ["999.5", "1,000.0", "1,000.5"]
    assert axis.tickStrings([0, 1000, 2000], 1, 1000) == ["0", "1,000", "2,000"]


def drawn_on(axis: NumberAxis) -> list[tuple[QRectF, str]]:
    """The numbers of an axis, each with its place."""
    image = QImage(1, 1, QImage.Format.Format_ARGB32)
    with QPainter(image) as painter:
        painter.setFont(axis.style["tickFont"])
        _, _, texts = axis.generateDrawSpecs(painter)
    return [(place, text) for place, _, text in texts]


@pytest.mark.parametrize("zoom", [100, 150, 200])
@pytest.mark.parametrize(("width", "height"), [(120, 128), (1160, 600)])
def test_a_name_is_written_as_far_as_there_is_room_and_neither_end_is_cut(
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
        ground = plot.plotItem.sceneBoundingRect().adjusted(-6, -1, 1, 6)  # pixels that pyqtgraph puts it out
        assert ground.contains(axis.label.sceneBoundingRect())
        assert shown == name or "…" in shown
        assert theme.colour("muted").name() in axis.label.toHtml()
        assert (shown == name) == (QFontMetricsF(axis.label.font()).horizontalAdvance(name) + 8 <= length)
