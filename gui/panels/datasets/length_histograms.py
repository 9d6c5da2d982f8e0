"""The panel of the lengths of sources and targets, with the run's limits."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, Qt
from PySide6.QtWidgets import QGridLayout

from core.history import History
from core.overview.records import SideFigures
from gui.datasets.data_reader import DataReader
from gui.datasets.pair_pages import PairPages
from gui.panel import Panel, Table
from gui.panels.learning.plain_plot import PlainPlot
from gui.theme import GRID, Theme
from gui.widgets.labels import plain_label

_MAX_BARS = 60


class LengthHistograms(Panel):
    """Two histograms side by side, for the split whose pairs are shown."""

    title = "Lengths"
    empty_sentence = "Counting the lengths …"
    redraw_on = ()  # its view marks it
    is_picture = True

    def __init__(self, theme: Theme, reader: DataReader, pages: PairPages) -> None:
        super().__init__(theme)
        self._reader, self._pages = reader, pages

    def build_body(self) -> None:
        """A plot for each side."""
        self.src, self.tgt = SideHistogram(self.theme, "source"), SideHistogram(self.theme, "target")
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(0)
        grid.setRowStretch(1, 1)
        for column, side in enumerate((self.src, self.tgt)):  # the plots are equally high, however a label wraps
            grid.setColumnStretch(column, 1)
            grid.addWidget(side.label, 0, column)
            grid.addWidget(side.plot, 1, column)
        self.body.addLayout(grid)

    def show_step(self, history: History, step: int) -> None:
        """Draw the shown split; it is the same at every step."""
        if self._reader.overview is None:
            self.show_empty()
            return
        figures = self._reader.overview.splits[self._pages.split]
        self.show_body()
        self.set_title(f"Lengths of {self._pages.split} texts in tokens, <eos> counted")
        self.src.show_figures(figures.src)
        self.tgt.show_figures(figures.tgt)

    def numbers(self) -> Table:
        """A row for each split, side and length that occurs."""
        assert self._reader.overview is not None
        lines = (
            (split, name, length, count)
            for split, figures in self._reader.overview.splits.items()
            for name, side in (("source", figures.src), ("target", figures.tgt))
            for length, count in enumerate(side.lengths.tolist())
            if count
        )
        return [("split", "side", "tokens", "texts"), *lines]


class SideHistogram(QObject):
    """One side's lengths as bars; those beyond the limit are faint, and a dashed line marks it."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme, self._name = theme, name
        self._bars: tuple[NDArray[np.int64], NDArray[np.int64], int] | None = None
        self.label = plain_label(role="muted", wraps=True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.plot = PlainPlot(theme, left="texts", bottom="tokens")
        self.plot.pointed.connect(self._show_tooltip)

    def show_figures(self, side: SideFigures) -> None:
        """Draw these figures."""
        lengths = side.lengths
        self.label.setText(
            f"{self._name} {_shortest(lengths)} to {len(lengths) - 1}, median {_median(lengths)}, limit {side.limit}"
        )
        self.plot.setAccessibleName(self.label.text())
        width = -(-len(lengths) // _MAX_BARS)
        starts = np.arange(0, len(lengths), width)
        heights = np.add.reduceat(lengths, starts)
        self._bars = starts, heights, width
        fits = starts <= side.limit
        self.plot.clear()
        for chosen, colour in ((fits, self._theme.colour("training")), (~fits, self._theme.colour("faint"))):
            left = starts[chosen] - 0.4
            bars = pg.BarGraphItem(x0=left, width=width - 0.2, height=heights[chosen], brush=colour, pen=None)
            self.plot.addItem(bars)
        if side.limit < len(lengths) - 1:
            line = pg.mkPen(self._theme.colour("validation"), width=1.5, style=Qt.PenStyle.DashLine)
            self.plot.addItem(pg.InfiniteLine(side.limit + 0.5, pen=line))
        self.plot.setXRange(0, len(lengths), padding=0.02)
        self.plot.setYRange(0, int(heights.max()), padding=0.05)

    def _show_tooltip(self, point: QPointF) -> None:
        """Say in the tooltip how many texts the bar under the mouse stands for."""
        assert self._bars is not None
        starts, heights, width = self._bars
        bar = int(np.clip((point.x() + 0.5) // width, 0, len(starts) - 1))
        first, last = int(starts[bar]), int(starts[bar]) + width - 1
        tokens = f"{first} token{'s' * (first != 1)}" if first == last else f"{first} to {last} tokens"
        count = int(heights[bar])
        self.plot.setToolTip(f"{tokens}: {count:,} {self._name}{'s' * (count != 1)}")


def _shortest(lengths: NDArray[np.int64]) -> int:
    return int(np.argmax(lengths > 0))


def _median(lengths: NDArray[np.int64]) -> int:
    """The median length: at least half of the texts are no longer."""
    return int(np.searchsorted(np.cumsum(lengths), lengths.sum() / 2))
