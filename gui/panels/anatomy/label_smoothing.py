"""The topic of label smoothing: the targets it makes, and the penalty for overconfidence."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pyqtgraph as pg
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtWidgets import QHBoxLayout

from core.history import History
from core.label_smoothing import growing_confidence, smoothed_loss, smoothed_targets
from gui.panel import Table
from gui.panels.anatomy.matrix_canvas import Matrix, MatrixCanvas
from gui.panels.anatomy.topic import Topic
from gui.panels.learning.label_placer import LabelPlacer, candidate_middles
from gui.panels.learning.line_labels import set_label_position, vertical_line_positions
from gui.panels.learning.plain_plot import PlainPlot
from gui.sentences.tokens import quoted
from gui.theme import Theme
from gui.widgets.spin_boxes import DecimalSpinBox, IntegerSpinBox

_DECADES = 4  # of odds: from as probable as each other token to 10,000 times as probable
_POINTS = 400
_FIRST_TARGET = 2  # no target is <pad> or <bos>
_LOWEST_NAME = 0.92  # where the name of the lowest point should be, from the bottom


class LabelSmoothingTopic(Topic):
    """The targets on the left, a row for each right token; on the right the loss as confidence in one token grows."""

    title = "Label smoothing"
    about = (
        "The right token is to have a little less than probability 1, and all tokens share the rest. A model that "
        "grows ever surer of the right one then pays for it: the smoothed loss has a lowest point, where the plain "
        "one only falls. Such a model is less sure, and often more accurate. Reported losses are the plain ones."
    )
    equation = (
        "target = (1 − ε) · one-hot + ε / <i>V</i>&nbsp;&nbsp;&nbsp;&nbsp;"
        "loss = −Σ<sub>v</sub> target<sub>v</sub> · ln <i>p</i><sub>v</sub>"
    )
    paper = "section 5.4, after Szegedy et al. 2016, section 7"
    functions = (
        *("core.label_smoothing:smoothed_targets", "core.label_smoothing:smoothed_loss"),
        "core.training.loss:LossPass",
    )

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.eps_spin, self.size_spin = _ShareSpinBox(theme), IntegerSpinBox(theme)
        self.eps_spin.setRange(0.0, 0.9999)
        self.eps_spin.setDecimals(4)  # a run's own may be any value from 0 to below 1
        self.eps_spin.setSingleStep(0.05)
        self.size_spin.setRange(3, 40)
        self.size_spin.setValue(8)
        self.targets = MatrixCanvas(theme)
        self.penalty = PlainPlot(
            theme,
            "Penalty curve",
            left="loss, nats",
            bottom="the right token's probability ÷ each other token's",
        )
        self._smoothed, self._plain = self.penalty.plot(), self.penalty.plot()
        self._lowest = pg.InfiniteLine(angle=90, label="", labelOpts={"position": _LOWEST_NAME})
        self._names = {curve: pg.TextItem(anchor=(1, 0.5)) for curve in (self._smoothed, self._plain)}
        self._cell, self._odds = (0, _FIRST_TARGET), 100.0
        self._is_eps_chosen = False
        self._lay_out()
        self._connect()

    def show_step(self, history: History, step: int) -> None:
        """Draw both; ε is this run's until the user chooses one."""
        self.show_body()
        if history.prepared is not None and not self._is_eps_chosen:
            self.eps_spin.setValue(history.prepared.config.training.label_smoothing)
            self._is_eps_chosen = False  # by the user: `setValue` has just set it
        self._draw_targets(history)
        self._draw_penalty()
        self._update_readout()

    def numbers(self) -> Table:
        """The penalty curve: odds, probability, and the loss with and without smoothing."""
        odds = np.logspace(0, _DECADES, _POINTS)
        columns = np.stack([odds, *self._penalty_at(odds)], axis=1)
        return [["times_each_other", "probability", "smoothed_loss", "plain_loss"], *columns.tolist()]

    def _penalty_at(self, odds: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """[N] each: the right token's probability at these odds, and the loss with and without smoothing."""
        eps, size = self.eps_spin.value(), self.size_spin.value()
        probabilities = growing_confidence(odds, size)
        smoothed, plain = (smoothed_loss(probabilities, smoothed_targets([0], size, amount)) for amount in (eps, 0.0))
        return probabilities[:, 0], smoothed, plain

    def _draw_targets(self, history: History) -> None:
        size = self.size_spin.value()
        known = history.prepared.tgt_tokens if history.prepared is not None else ()
        tokens = (*known, *(f"token {index}" for index in range(len(known), size)))[:size]
        values = smoothed_targets(np.arange(_FIRST_TARGET, size), size, self.eps_spin.value())
        matrix = Matrix(
            "rows: the right token; cells: what each token should get",
            values,
            tokens[_FIRST_TARGET:],
            tokens,
            decimals=4,
        )
        self._cell = min(self._cell[0], len(values) - 1), min(self._cell[1], size - 1)
        self.targets.show_matrix(matrix, self._cell)

    def _draw_penalty(self) -> None:
        eps, theme, odds = self.eps_spin.value(), self.theme, np.logspace(0, _DECADES, _POINTS)
        _, smoothed, plain = self._penalty_at(odds)
        for curve, losses, name, colour, style in (
            (self._smoothed, smoothed, f"smoothed, ε = {eps:g}", "training", Qt.PenStyle.SolidLine),
            (self._plain, plain, "plain", "muted", Qt.PenStyle.DashLine),
        ):
            curve.setPen(pg.mkPen(theme.colour(colour), width=2, style=style))
            curve.setData(np.log10(odds), losses)
            self._names[curve].setText(name)
            self._names[curve].setColor(theme.colour(colour))
            self._names[curve].setFont(theme.font(0.85))
        self._mark_lowest(eps)
        self._place_names()

    def _mark_lowest(self, eps: float) -> None:
        """Mark the right token's probability at which the smoothed loss is least: its own target."""
        self._lowest.setVisible(eps > 0.0)
        if eps > 0.0:
            size = self.size_spin.value()
            best = 1.0 - eps + eps / size
            others = (1.0 - best) / (size - 1)
            self._lowest.setValue(np.log10(best / others))
            self._lowest.label.setFormat(f"lowest at p = {best:.4f}")
            self._lowest.label.setFont(self.theme.font(0.85))
            self._lowest.label.setColor(self.theme.colour("text"))
            self._lowest.setPen(pg.mkPen(self.theme.colour("good"), width=1))

    def _place_names(self) -> None:
        """Put each name where it covers neither a curve nor another name: that of a curve near its end."""
        self.penalty.getViewBox().updateAutoRange()  # which otherwise waits until it is painted
        placer, line = LabelPlacer(self.penalty.plotItem), self._lowest
        if line.isVisible():
            placer.add_curve((line.value(),) * 2, self.penalty.viewRange()[1])
            beside, along = (
                vertical_line_positions(line, _LOWEST_NAME, placer, may_turn=may_turn) for may_turn in (False, True)
            )
            set_label_position(line, placer.place_freest(chain(beside, along)))
        for curve, name in self._names.items():
            end = placer.to_pixel(*(values[-1] for values in curve.getOriginalDataset()))
            width, height = name.boundingRect().size().toTuple()
            over = end.y() - height / 2  # or else over the name that is there
            choice = (
                (QRectF(end.x() - width, middle - height / 2, width, height), middle)
                for middle in (over, over - height, *candidate_middles(height, placer.height, over))
            )
            name.setPos(*placer.from_pixel(QPointF(end.x(), placer.place_freest(choice))))

    def _update_readout(self) -> None:
        assert self.targets.matrix is not None
        matrix, (row, column) = self.targets.matrix, self._cell
        right, other = quoted(matrix.rows[row]), quoted(matrix.columns[column])
        target = f"Where {right} is right, {other} should get {matrix.values[row, column]:.4f}."
        self.targets.setAccessibleDescription(target)
        ((probability,), (smoothed,), (plain,)) = self._penalty_at([self._odds])
        sure = f"{probability:.4f} for the right token ({self._odds:,.0f} times each other's)"
        self.readout_label.setText(f"{target} At {sure} the loss is {smoothed:.3f} smoothed, {plain:.3f} plain.")

    def _lay_out(self) -> None:
        self.add_controls(
            ("ε", self.eps_spin, "How much of the target is spread over the vocabulary: label_smoothing"),
            ("vocabulary", self.size_spin, "How many tokens there are, V"),
        )
        row = QHBoxLayout()
        self.picture.addLayout(row, 1)
        row.addWidget(self.targets, 1)
        row.addWidget(self.penalty, 1)
        ticks = [[(index, f"{10**index:,}") for index in range(_DECADES + 1)]]
        self.penalty.getAxis("bottom").setTicks(ticks)
        self.penalty.setXRange(0, _DECADES, padding=0.08)  # so that the last number is visible
        for item in (self._lowest, *self._names.values()):
            self.penalty.addItem(item, ignoreBounds=True)

    def _connect(self) -> None:
        self.eps_spin.valueChanged.connect(self._handle_eps_chosen)
        self.size_spin.valueChanged.connect(self.mark_dirty)
        self.targets.pointed.connect(self._show_cell)
        self.penalty.pointed.connect(self._read_odds)
        self.penalty.getViewBox().sigResized.connect(self._handle_resized)

    def _handle_resized(self) -> None:
        if self._smoothed.getOriginalDataset()[0] is not None:
            self._place_names()

    def _handle_eps_chosen(self) -> None:
        self._is_eps_chosen = True
        self.mark_dirty()

    def _show_cell(self, row: int, column: int) -> None:
        self._cell = (row, column)
        self.mark_dirty()

    def _read_odds(self, point: QPointF) -> None:
        self._odds = 10.0 ** min(max(point.x(), 0.0), _DECADES)
        self.mark_dirty()


class _ShareSpinBox(DecimalSpinBox):
    """Writes no trailing zeros."""

    def textFromValue(self, value: float) -> str:
        return f"{value:zg}"
