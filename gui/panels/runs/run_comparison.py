"""Compares the chosen runs: their losses on one axis, the settings in which they differ, and figures."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QIcon, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from core.history import History
from gui.panel import Table
from gui.panels.learning.label_placer import LabelPlacer
from gui.panels.learning.plain_plot import PlainPlot
from gui.panels.runs.comparison_panel import ComparisonPanel
from gui.panels.runs.comparison_table import ComparisonTable
from gui.pictures.whole_table import whole_table
from gui.runs.comparison import Comparison
from gui.runs.seed_bands import Band, Curve, rest_of
from gui.theme import Theme
from gui.widgets.splitters import splitter

# Okabe and Ito's colours, distinct for any colour vision; darkened or lightened where the background needs it.
_COLOURS = {
    "light": ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#8c6d00", "#3a7ca5", "#6f5f00", "#1b1f24"),
    "dark": ("#56b4e9", "#e69f00", "#2bc49a", "#cc79a7", "#f0e442", "#7fa8ff", "#c9b458", "#e6e9ed"),
}

SEEDS = "; seeds as a band, lowest to highest, with their mean"
_BAND_ALPHA = 48  # of 255
_NUDGE = 4  # pixels between two heights that are tried for a letter
_SWATCH, _WIDEST_SWATCH = 10, 12  # pixels at 100 %, and at most: Qt leaves room for 16, with the name right after


class RunComparison(ComparisonPanel):
    """Training losses as lines, validation losses dashed; beside them the table."""

    title = "Loss in nats per target token: training as lines, validation dashed"
    empty_sentence = (
        "Choose a run above to see its losses and settings here; several (Ctrl+click, or Shift+arrow key) are compared."
    )

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._letters: list[pg.TextItem] = []
        self.setToolTip(
            "Training with dropout on, its curve smoothed; validation with dropout off. With several runs, each curve "
            "ends with its run's letter. Runs that differ only in their seed form one band, up to the step that all "
            "have reached: from the lowest to the highest, with their mean as a line. One that went further continues "
            "as a thin line."
        )

    def build_body(self) -> None:
        """Curves and table side by side."""
        name, left = "Losses of the chosen runs over steps", "loss, nats per target token"
        self.plot = PlainPlot(self.theme, name, left=left, bottom="step")
        self.plot.getViewBox().sigResized.connect(self._label_ends)
        self.table = ComparisonTable(self.theme)
        self.body.addWidget(splitter(Qt.Orientation.Horizontal, (self.plot, 1), (self.table, 1)))

    def show_step(self, history: History, step: int) -> None:
        """Draw the comparison, which does not depend on the playhead."""
        if self.comparison is None:
            self.show_empty(self.why_none)
            return
        self.show_body()
        self.set_title(self.title + _of_other_tokens(self.comparison) + (SEEDS if self.comparison.groups else ""))
        self._draw(self.comparison)
        self._fill(self.comparison)

    def numbers(self) -> Table:
        """A line for each run and step: its smoothed training loss, or its validation loss."""
        assert self.comparison is not None
        lines = (
            (run.name, name, int(step), loss)
            for run in self.comparison.runs
            for name, curve in (("train/loss, smoothed", run.training), ("valid/loss", run.validation))
            for step, loss in zip(*(values.tolist() for values in curve), strict=True)
        )
        return [("run", "metric", "step", "value"), *lines, *_band_lines(self.comparison)]

    def export_widgets(self) -> tuple[QWidget, ...]:
        """The plot, and below it the whole table."""
        return self.plot, whole_table(self.table)

    def colour(self, index: int) -> QColor:
        """The colour of the run at this place; runs of one group share the first one's."""
        groups = self.comparison.groups if self.comparison is not None else ()
        first = next((group.indices[0] for group in groups if index in group.indices), index)
        return QColor(_COLOURS[self.theme.mode][first])

    def _swatch(self, index: int) -> QIcon:
        side = min(self.theme.px(_SWATCH), _WIDEST_SWATCH)
        square = QPixmap(side, side)
        square.fill(self.colour(index))
        return QIcon(square)

    def _draw(self, comparison: Comparison) -> None:
        self.plot.clear()
        for index in comparison.ungrouped:
            run, colour = comparison.runs[index], self.colour(index)
            self._draw_curve(run.training, _line(colour))
            self._draw_curve(run.validation, _dashed(colour))
        for group in comparison.groups:
            colour = self.colour(group.indices[0])
            self._draw_band(group.training, _line(colour), colour)
            self._draw_band(group.validation, _dashed(colour), colour)
            for run in (comparison.runs[index] for index in group.indices):
                self._draw_curve(rest_of(run.training, group.training), _line(colour, 1))
                self._draw_curve(rest_of(run.validation, group.validation), _dashed(colour, 1))
        self._label_ends()

    def _draw_band(self, band: Band, pen: QPen, colour: QColor) -> None:
        """Fill from the lowest to the highest loss, and draw the mean over it."""
        edges = [pg.PlotCurveItem(band.steps, values) for values in (band.lowest, band.highest)]
        self.plot.addItem(pg.FillBetweenItem(*edges, brush=_faint(colour)))
        self._draw_curve((band.steps, band.mean), pen)

    def _draw_curve(self, curve: Curve, pen: QPen) -> None:
        """A curve of a single step, such as the loss of a run's only validation, is a dot: no line is drawn of it."""
        symbol = "o" if len(curve[0]) == 1 else None
        drawn = self.plot.plot(*curve, pen=pen, symbol=symbol, symbolSize=5, symbolPen=None, symbolBrush=pen.color())
        drawn.setDownsampling(auto=True, method="peak")
        drawn.setClipToView(True)

    def _label_ends(self) -> None:
        """Write the letters of each line above its end, or as near to it as is free."""
        for name in self._letters:
            self.plot.removeItem(name)
        self._letters.clear()
        comparison, box, font = self.comparison, self.plot.getViewBox(), self.theme.font(bold=True)
        if comparison is None:
            return
        box.updateAutoRange()  # which otherwise waits until it is painted
        placer = LabelPlacer(self.plot.plotItem)
        for band in (group.training for group in comparison.groups):
            placer.add_curve(band.steps, band.lowest)
            placer.add_curve(band.steps, band.highest)
        for (steps, tops), letters, index in sorted(_line_labels(comparison), key=lambda named: named[0][1][-1]):
            name = pg.TextItem(letters, color=self.colour(index))
            name.setFont(font)
            end, width = placer.to_pixel(steps[-1], tops[-1]).x(), name.boundingRect().width()
            has_room = end + width <= placer.width  # right of its end, where nothing is drawn
            left = end if has_room else end - width
            first = min(placer.from_pixel(QPointF(left, 0.0))[0], steps[-1])  # `left`, in whole pixels, may lie beyond
            over = tops[steps >= first].max()
            name.setAnchor((0 if has_room else 1, 1))
            name.setPos(steps[-1], placer.place_freest(_label_positions(name, left, over, placer)))
            self.plot.addItem(name, ignoreBounds=True)
            self._letters.append(name)

    def _fill(self, comparison: Comparison) -> None:
        (_, *titles), *rows = comparison.table
        indices = [group.indices[0] for group in comparison.groups]
        icons = [self._swatch(index) for index in (*indices, *range(len(comparison.runs)))]
        self.table.fill([*zip(map(str, titles), icons, strict=True)], rows)


def _of_other_tokens(comparison: Comparison) -> str:
    """The part of the title on losses per different kinds of tokens; empty if all runs have the same tokens."""
    if len(comparison.same_tokens) < 2:
        return ""
    *groups, last = ("".join(comparison.runs[index].letter for index in group) for group in comparison.same_tokens)
    return f"; {', '.join(groups)} and {last} have different tokens: losses cannot be compared between them"


def _label_positions(
    name: pg.TextItem, left: float, over: float, placer: LabelPlacer
) -> Iterator[tuple[QRectF, float]]:
    """Places for letters from pixel `left` on, each with the loss at its foot: above `over`, then farther off."""
    size, drop = name.boundingRect().size(), QFontMetrics(name.textItem.font()).descent()  # capitals have none
    wanted = placer.to_pixel(0.0, over).y()
    others = sorted(np.arange(size.height(), placer.height, _NUDGE).tolist(), key=lambda foot: abs(foot - wanted))
    for foot, loss in ((wanted, over), *((foot, placer.from_pixel(QPointF(0.0, foot))[1]) for foot in others)):
        yield QRectF(left, foot - size.height(), size.width(), size.height() - drop), loss


def _line_labels(comparison: Comparison) -> Iterator[tuple[Curve, str, int]]:
    """What letters name (a line's end, or a band's upper edge), the letters, and the place of their first run."""
    runs = comparison.runs
    lines = [(runs[index].training, index) for index in comparison.ungrouped]
    for group in comparison.groups:
        steps, highest = _finite((group.training.steps, group.training.highest))
        if len(steps):
            yield (steps, highest), "".join(runs[index].letter for index in group.indices), group.indices[0]
        lines += [(rest_of(runs[index].training, group.training), index) for index in group.indices]
    for line, index in lines:
        steps, losses = _finite(line)
        if len(steps) and runs[index].letter:
            yield (steps[-1:], losses[-1:]), runs[index].letter, index


def _finite(curve: Curve) -> Curve:
    steps, values = curve
    known = np.isfinite(values)
    return steps[known], values[known]


def _faint(colour: QColor) -> QColor:
    return QColor(colour.red(), colour.green(), colour.blue(), _BAND_ALPHA)


def _line(colour: QColor, width: float = 2) -> QPen:
    pen: QPen = pg.mkPen(colour, width=width)
    return pen


def _dashed(colour: QColor, width: float = 1.5) -> QPen:
    pen: QPen = pg.mkPen(colour, width=width, style=Qt.PenStyle.DashLine)
    return pen


def _band_lines(comparison: Comparison) -> Iterator[tuple[object, ...]]:
    """Three lines for each group, metric and step."""
    for group in comparison.groups:
        for metric, band in (("train/loss, smoothed", group.training), ("valid/loss", group.validation)):
            for statistic, values in (("mean", band.mean), ("lowest", band.lowest), ("highest", band.highest)):
                for step, loss in zip(band.steps.tolist(), values.tolist(), strict=True):
                    yield group.name, f"{metric}, {statistic}", int(step), loss
