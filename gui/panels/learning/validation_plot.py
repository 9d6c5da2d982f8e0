"""A metric of the validations over steps, with lines that say what its values mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt

from core.events import SettingChanged
from core.history import History
from core.marks import best_validation
from gui.panels.learning.step_plot import StepPlot, name_line, renew
from gui.playhead import Playhead
from gui.theme import Theme

HEADROOM = 1.12
_NAME_GAP = 10  # pixels at 100 % between the end of a curve, where playhead and star may stand, and its name
_COLOURS = {"train": "training", "valid": "validation"}

Curves = Mapping[str, tuple[NDArray[Any], NDArray[np.float64]]]  # steps and values by the name at their end


def finite_values(curves: Curves, others: Sequence[float]) -> NDArray[np.float64]:
    """Those of all curves, and these others: what an axis can have room for."""
    values = np.concatenate([*(values for _, values in curves.values()), others])
    return values[np.isfinite(values)]


@dataclass(frozen=True)
class Level:
    """A line across: where its name stands along it, from 0 to 1, and what it means."""

    position: float
    meaning: str


class ValidationPlot(StepPlot):
    """Validations dashed, the best one starred; `limit` is the best value that anyone can reach.

    A subclass says what else is drawn, and calls `take_theme` once it is made.
    """

    measured: str  # the metric, by its name in validations; `metric` is a method of every QWidget

    def __init__(self, theme: Theme, playhead: Playhead, names: Sequence[str], levels: Mapping[str, Level]) -> None:
        """`names` are those of the curves, `levels` the lines across, `limit` among them."""
        super().__init__(theme, playhead)
        self._valid = self.plot(symbol="o", symbolSize=5)
        self._valid.setZValue(1)  # over what a subclass draws
        self._best = self.plot(pen=None, symbol="star", symbolSize=13)
        self._best.setZValue(11)  # over the playhead
        self._names = {name: pg.TextItem(name, anchor=(0, 0.5)) for name in names}
        self._invitation = pg.TextItem(anchor=(0.5, 0.5))
        self._places = {name: level.position for name, level in levels.items()}
        self._levels = {
            name: pg.InfiniteLine(angle=0, label=name, labelOpts={"position": level.position})
            for name, level in levels.items()
        }
        for name, level in levels.items():
            self._levels[name].setZValue(11)
            self._levels[name].setToolTip(level.meaning)
            self._levels[name].label.setToolTip(level.meaning)
        for label in self._names.values():
            label.setZValue(12)  # a level may run behind it, and is no part of its letters
        for item in (*self._names.values(), *self._levels.values(), self._invitation):
            item.setVisible(False)
            self.addItem(item, ignoreBounds=True)
        self._changes: list[pg.InfiniteLine] = []  # a line for each setting that was changed during the run

    def take_theme(self) -> None:
        super().take_theme()
        validation = self.theme.colour("validation")
        self._valid.setPen(pg.mkPen(validation, width=2, style=Qt.PenStyle.DashLine))
        for points in (self._valid, self._best):
            points.setSymbolBrush(validation)
            points.setSymbolPen(validation)
        for name, label in self._names.items():
            label.setColor(self.theme.colour(_COLOURS[name]))
            label.setFont(self.theme.font(0.9, bold=True))
            label.fill = pg.mkBrush(self.theme.colour("surface", 0.85))
            label.setAnchor((-self.theme.px(_NAME_GAP) / label.boundingRect().width(), 0.5))
        self._invitation.setColor(self.theme.colour("muted"))
        self._invitation.setFont(self.theme.font())
        for line in (*self._levels.values(), *self._changes):
            line.setPen(pg.mkPen(self.theme.colour("muted"), width=1, style=Qt.PenStyle.DotLine))
            line.label.setColor(self.theme.colour("muted"))
            line.label.fill = pg.mkBrush(self.theme.colour("surface", 0.85))
            line.label.textItem.setFont(self.theme.font(0.85))

    def draw(self, history: History) -> None:
        curves = self.draw_curves(history)
        self.place_levels(history)
        self._draw_changes(history.changes_that_acted)
        if not self.is_held:
            self.show_values(*self.range_of(curves))
        self._part_level_names()
        self._name_ends(curves)
        self._keep_level_names_clear()
        self._invite(self.invitation(history))

    def draw_curves(self, history: History) -> Curves:
        """Draw the validations."""
        validations = sorted(history.validations.items())
        points = [(step, metrics[self.measured]) for step, metrics in validations if self.measured in metrics]
        steps, values = np.array(points, dtype=np.float64).reshape(-1, 2).T
        renew(self._valid, steps, values)
        best = best_validation(history)
        is_best = np.isin(steps, [] if best is None else [best.step])
        renew(self._best, steps[is_best], values[is_best])
        self._best.scatter.setToolTip("" if best is None else best.text)
        return {"valid": (steps, values)}

    def place_levels(self, history: History) -> None:
        """Put each line across where it belongs in this run; hide it where that is not known."""
        raise NotImplementedError

    def range_of(self, curves: Curves) -> tuple[float, float]:
        """The lowest and the highest value of the y axis."""
        raise NotImplementedError

    def invitation(self, history: History) -> str:
        """What to do where there is nothing to see yet; else empty."""
        raise NotImplementedError

    def place_level(self, name: str, value: float | None, text: str) -> None:
        """Put a line at this value, with it in its name."""
        line = self._levels[name]
        line.setVisible(value is not None)
        if value is not None:
            line.setValue(value)
            name_line(line, text.format(value))

    def place_limit(self, history: History, text: str) -> None:
        """Put the line of the limit where the plugin says."""
        limits = history.prepared.limits if history.prepared is not None else {}
        self.place_level("limit", limits.get(self.measured), text)

    def _invite(self, text: str) -> None:
        self._invitation.setVisible(bool(text))
        if text:
            self._invitation.setText(text)
            self._invitation.setPos(self.viewRect().center())

    def _draw_changes(self, changes: Sequence[SettingChanged]) -> None:
        """Mark where a setting was changed, with its name and new value along the line."""
        for line in self._changes[len(changes) :]:
            self.removeItem(line)
        del self._changes[len(changes) :]
        for _ in changes[len(self._changes) :]:
            line = pg.InfiniteLine(angle=90, label="", labelOpts={"position": 0.6, "rotateAxis": (1, 0)})
            self._changes.append(line)
            self.addItem(line, ignoreBounds=True)
            self.take_theme()
        for line, change in zip(self._changes, changes, strict=True):
            line.setValue(change.step)
            name_line(line, f"{change.key.rpartition('.')[2]} {change.value}")
            self._turn(line.label)

    def _turn(self, label: pg.InfLineLabel) -> None:
        """Write along its line where that is long enough, else beside it."""
        is_along = label.boundingRect().width() <= self._room[1]
        if is_along != (label.rotateAxis is not None):
            label.rotateAxis = pg.Point(1, 0) if is_along else None
            label.anchors = [(0.5, 0), (0.5, 1)] if is_along else [(0, 0.5), (1, 0.5)]
            label.updatePosition()
            label.updateTransform(force=True)

    def _part_level_names(self) -> None:
        """Put each level's name over its line or under it, where the next line or the axis is farther away."""
        lines = sorted((line for line in self._levels.values() if line.isVisible()), key=pg.InfiniteLine.value)
        bottom, top = self.viewRange()[1]
        heights = [bottom, *(line.value() for line in lines), top]
        for line, below, here, above in zip(lines, heights, heights[1:], heights[2:], strict=False):
            left = 0.0 if line is self._levels["limit"] else 0.5
            anchors = [(left, 1.0 if above - here > here - below else 0.0)] * 2  # whichever half of the plot it is in
            if line.label.anchors != anchors:
                line.label.anchors = anchors
                line.label.updatePosition()

    def _name_ends(self, curves: Curves) -> None:
        """Put each curve's name behind its end, a line apart from the other's, above the axis and within the plot."""
        box = self.plotItem.vb
        bottom, top = box.viewRange()[1]
        line = self._names["valid"].boundingRect().height() * (top - bottom) / max(box.height(), 1.0)
        lowest = bottom + line / 2
        drawn = {name: curve for name, curve in curves.items() if np.isfinite(curve[1][-1:]).any()}
        for name, label in self._names.items():
            label.setVisible(name in drawn)
        places: dict[str, float] = {}
        for name, (_, values) in sorted(drawn.items(), key=lambda item: float(item[1][1][-1])):
            places[name] = max(float(values[-1]), lowest)
            lowest = places[name] + line
        above = max(lowest - line / 2 - top, 0.0)  # what the highest has of itself over the plot
        for name, place in places.items():
            self._names[name].setPos(float(drawn[name][0][-1]), place - above)

    def _keep_level_names_clear(self) -> None:
        """Put the name of a level before a curve's end where it would lie under the name of that."""
        (first, last), (bottom, top) = self.viewRange()
        step, value = (
            size / max(span, 1.0) for size, span in zip((last - first, top - bottom), self._room, strict=True)
        )
        ends = [label for label in self._names.values() if label.isVisible()]
        for name, line in self._levels.items():
            label, place = line.label, self._places[name]
            half = label.boundingRect().width() * step / 2
            for end in ends:
                reach = (end.boundingRect().width() + self.theme.px(_NAME_GAP)) * step
                is_near = abs(end.pos().y() - line.value()) < 2 * end.boundingRect().height() * value
                if is_near and -half < first + place * (last - first) - end.pos().x() < reach + half:
                    place = (end.pos().x() - half - first) / (last - first)
            if label.orthoPos != place:
                label.setPosition(place)

    @property
    def _room(self) -> tuple[float, float]:
        """Pixels across and down in which curves are drawn."""
        return self.plotItem.vb.width(), self.plotItem.vb.height()
