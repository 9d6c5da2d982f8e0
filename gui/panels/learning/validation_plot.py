"""The base class of plots of a validation metric over steps, with lines that give its values a meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtWidgets import QGraphicsTextItem

from core.events import SettingChanged
from core.history import History
from core.runs.marks import best_validation, value_text
from gui.panels.learning.label_placer import LabelPlacer, candidate_middles
from gui.panels.learning.line_labels import horizontal_line_positions, set_label_position, vertical_line_positions
from gui.panels.learning.step_plot import StepPlot, set_line_label, update_curve
from gui.playhead import Playhead
from gui.theme import Theme

HEADROOM = 1.12
# The playhead's is 10: names are drawn above it, and measured values above names.
_NAMES_Z, _END_NAMES_Z, CURVES_Z, _VALID_Z, _STAR_Z = range(11, 16)
_CHANGE_POSITION = 0.6  # preferred position of a changed setting's name, as a share of the plot's height from below
_NAME_GAP = 10  # pixels at 100 % from the end of a curve, where playhead and star may be, to its name
# Beside the numbers of the axis, since a line of its own would take room from the curves; left of the upright axis's 0.
_AXIS_NAME_GAP, _AXIS_NAME_TOP = 18, 2  # pixels from the axis's left end, at 100 %, and below the axis, as its numbers
_COLOURS = {"train": "training", "valid": "validation_text"}

CurvePoints = Mapping[str, tuple[NDArray[Any], NDArray[np.float64]]]  # name at the curve's end -> steps and values


def finite_values(curves: CurvePoints, others: Sequence[float]) -> NDArray[np.float64]:
    """The finite values of all curves and of `others`, from which to choose the range of an axis."""
    values = np.concatenate([*(values for _, values in curves.values()), others])
    return values[np.isfinite(values)]


@dataclass(frozen=True)
class Level:
    """A horizontal line: the position of its name along it, from 0 to 1, and what it means."""

    position: float
    meaning: str


class ValidationPlot(StepPlot):
    """Draws validations dashed, with a star at the best; the level `limit` is the best value that can be reached.

    Subclasses say what else is drawn, and call `apply_theme` at the end of `__init__`.
    """

    metric_name: str  # the metric's name in validations (`metric` is already a method of QWidget)

    def __init__(self, theme: Theme, playhead: Playhead, names: Sequence[str], levels: Mapping[str, Level]) -> None:
        """`names` are those of the curves, `levels` the horizontal lines, `limit` among them."""
        super().__init__(theme, playhead)
        self._valid = self.plot(symbol="o", symbolSize=5)
        self._valid.setZValue(_VALID_Z)
        self._best = self.plot(pen=None, symbol="star", symbolSize=13)
        self._best.setZValue(_STAR_Z)
        self.axis_name = QGraphicsTextItem("step", self.getAxis("bottom"))
        self.axis_name.document().setDocumentMargin(0)
        self._names = {name: pg.TextItem(name, anchor=(0, 0.5)) for name in names}
        self._hint = pg.TextItem(anchor=(0.5, 0.5))
        self._hint.setZValue(_END_NAMES_Z)
        self._wanted_positions = {name: level.position for name, level in levels.items()}
        self._levels = {
            name: pg.InfiniteLine(angle=0, label=name, labelOpts={"position": level.position})
            for name, level in levels.items()
        }
        for name, level in levels.items():
            self._levels[name].setZValue(_NAMES_Z)
            self._levels[name].setToolTip(level.meaning)
            self._levels[name].label.setToolTip(level.meaning)
        for label in self._names.values():
            label.setZValue(_END_NAMES_Z)  # above the levels, which would strike through it
        for item in (*self._names.values(), *self._levels.values(), self._hint):
            item.setVisible(False)
            self.addItem(item, ignoreBounds=True)
        self._changes: list[pg.InfiniteLine] = []  # a line for each setting that was changed during the run
        self._curves: CurvePoints = {}  # the drawn ones
        self.plotItem.vb.sigResized.connect(self._fit)

    def apply_theme(self) -> None:
        super().apply_theme()
        validation = self.theme.colour("validation")
        self._valid.setPen(pg.mkPen(validation, width=2, style=Qt.PenStyle.DashLine))
        for points in (self._valid, self._best):
            points.setSymbolBrush(validation)
            points.setSymbolPen(validation)
        self.axis_name.setFont(self.theme.font(0.85))
        self.axis_name.setDefaultTextColor(self.theme.colour("muted"))
        self.axis_name.setPos(-self.axis_name.boundingRect().width() - self.theme.px(_AXIS_NAME_GAP), _AXIS_NAME_TOP)
        for name, label in self._names.items():
            label.setColor(self.theme.colour(_COLOURS[name]))
            label.setFont(self.theme.font(0.9, bold=True))
            label.fill = pg.mkBrush(self.theme.colour("surface", 0.85))
        self._hint.setColor(self.theme.colour("muted"))
        self._hint.setFont(self.theme.font())
        self._hint.fill = pg.mkBrush(self.theme.colour("surface"))  # so that no level strikes through it
        for line in (*self._levels.values(), *self._changes):
            line.setPen(pg.mkPen(self.theme.colour("muted"), width=1, style=Qt.PenStyle.DotLine))
            line.label.setColor(self.theme.colour("muted"))
            line.label.fill = pg.mkBrush(self.theme.colour("surface", 0.85))
            line.label.textItem.setFont(self.theme.font(0.85))

    def draw(self, history: History) -> None:
        self._curves = self.draw_curves(history)
        self.place_levels(history)
        self._draw_changes(history.effective_changes)
        if (hint := self.hint(history)) != self._hint.toPlainText():
            self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self._fit()

    def draw_curves(self, history: History) -> CurvePoints:
        """Draw the validations."""
        validations = sorted(history.validations.items())
        points = [(step, metrics[self.metric_name]) for step, metrics in validations if self.metric_name in metrics]
        steps, values = np.array(points, dtype=np.float64).reshape(-1, 2).T
        update_curve(self._valid, steps, values)
        best = best_validation(history)
        is_best = np.isin(steps, [] if best is None else [best.step])
        update_curve(self._best, steps[is_best], values[is_best])
        self._best.scatter.setToolTip("" if best is None else best.text)
        return {"valid": (steps, values)}

    def place_levels(self, history: History) -> None:
        """Put each level at its value for this run; hide it if that is unknown."""
        raise NotImplementedError

    def range_of(self, curves: CurvePoints) -> tuple[float, float]:
        """The lowest and the highest value of the y axis."""
        raise NotImplementedError

    def hint(self, history: History) -> str:
        """What to do if there is nothing to see yet; else empty."""
        raise NotImplementedError

    def place_level(self, name: str, value: float | None, text: Callable[[float], str]) -> None:
        """Put a level at this value, with the name that `text` makes of it; hide it if the value is None."""
        line = self._levels[name]
        line.setVisible(value is not None)
        if value is not None:
            line.setValue(value)
            set_line_label(line, text(value))

    def place_limit(self, history: History, text: Callable[[float], str]) -> None:
        """Put the level `limit` at the plugin's value, if it gives one."""
        limits = history.prepared.limits if history.prepared is not None else {}
        self.place_level("limit", limits.get(self.metric_name), text)

    def _draw_changes(self, changes: Sequence[SettingChanged]) -> None:
        """Mark the steps at which settings were changed."""
        for line in self._changes[len(changes) :]:
            self.removeItem(line)
        del self._changes[len(changes) :]
        for _ in changes[len(self._changes) :]:
            line = pg.InfiniteLine(angle=90, label="", labelOpts={"position": _CHANGE_POSITION})
            line.setZValue(_NAMES_Z)
            self._changes.append(line)
            self.addItem(line, ignoreBounds=True)
            self.apply_theme()
        for line, change in zip(self._changes, changes, strict=True):
            line.setValue(change.step)
            set_line_label(line, f"{change.key.rpartition('.')[2]} {value_text(change.value)}")

    def _fit(self) -> None:
        """Choose the range of the y axis, and a place for each name."""
        if not self.is_frozen:
            self.set_value_range(*self.range_of(self._curves))
        lines = (*self._levels.values(), *self._changes)
        names = [(line.isVisible(), line.value(), line.label.format, line.label.boundingRect()) for line in lines]
        if self.is_layout_unchanged([*names, (self._hint.isVisible(), self._hint.boundingRect())]):
            return
        placer = LabelPlacer(self.plotItem)
        self._label_ends(placer)
        for line in self._shown_levels.values():
            placer.add_curve(self.viewRange()[0], (line.value(),) * 2)
        self._label_changes(placer)
        self._label_levels(placer)
        if self._hint.isVisible():
            self._place_hint(placer)

    def _place_hint(self, placer: LabelPlacer) -> None:
        """Put the hint into the middle of the plot, or above or below it, where it covers no name of a level."""
        size, middle = self._hint.boundingRect().size(), placer.width / 2
        heights = candidate_middles(size.height(), placer.height, placer.height / 2)
        corner = QPointF(middle - size.width() / 2, -size.height() / 2)
        choice = ((QRectF(corner + QPointF(0, height), size), height) for height in heights)
        self._hint.setPos(*placer.from_pixel(QPointF(middle, placer.place_freest(choice))))

    def _label_changes(self, placer: LabelPlacer) -> None:
        bottom, top = self.viewRange()[1]
        for line in self._changes:
            placer.add_curve((line.value(),) * 2, (bottom, top))
        for line in self._changes:
            set_label_position(line, placer.place_freest(vertical_line_positions(line, _CHANGE_POSITION, placer)))

    def _label_levels(self, placer: LabelPlacer) -> None:
        bottom, top = self.viewRange()[1]
        for end in (steps[-1] for steps, _ in self._curves.values() if len(steps)):
            placer.add_curve((end, end), (bottom, top))  # keep off the playhead, which is mostly here
        for name, line in self._shown_levels.items():
            positions = horizontal_line_positions(line, self._wanted_positions[name], placer)
            set_label_position(line, placer.place_freest(positions))

    def _label_ends(self, placer: LabelPlacer) -> None:
        """Put each curve's name after its end, or before it in a narrow plot; away from the other curve and name."""
        drawn = {name: curve for name, curve in self._curves.items() if np.isfinite(curve[1][-1:]).any()}
        ends = {name: placer.to_pixel(steps[-1], values[-1]) for name, (steps, values) in drawn.items()}
        for name, label in self._names.items():
            label.setVisible(name in drawn)
        for name, height in self._separated_heights(ends, placer).items():
            label, gap = self._names[name], self.theme.px(_NAME_GAP)
            end, size = ends[name].x(), label.boundingRect()
            choice = (
                (QRectF(left, y - size.height() / 2, size.width(), size.height()), (left, y))
                for left in (end + gap, end - gap - size.width())
                for y in candidate_middles(size.height(), placer.height, height)
            )
            left, middle = placer.place_freest(choice)
            label.setAnchor(((end - left) / size.width(), 0.5))
            label.setPos(*placer.from_pixel(QPointF(end, middle)))

    def _separated_heights(self, ends: Mapping[str, QPointF], placer: LabelPlacer) -> dict[str, float]:
        """The heights of the curves' ends in pixels, moved apart by a line of text, above the axis and in the plot."""
        line = self._names["valid"].boundingRect().height() + 1.0
        lowest = placer.height - line / 2
        heights: dict[str, float] = {}
        for name, end in sorted(ends.items(), key=lambda item: -item[1].y()):
            heights[name] = min(end.y(), lowest)
            lowest = heights[name] - line
        above = max(-(lowest + line / 2), 0.0)  # how far the highest extends above the plot
        return {name: height + above for name, height in heights.items()}

    @property
    def _shown_levels(self) -> dict[str, pg.InfiniteLine]:
        return {name: line for name, line in self._levels.items() if line.isVisible()}
