"""Training and validation loss in nats per target token, between guessing and the best anyone can reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
from gui.smoothing import smoothed
from gui.theme import Theme

_HEADROOM = 1.12
_ROOM_FOR_GUESSING = 1.25  # over its line, for its name
_NAME_GAP = 10  # pixels at 100 % between the end of a curve, where playhead and star may stand, and its name
_MEANINGS = {
    "guessing": "Guessing: a model that holds each token of the target vocabulary for equally likely",
    "unigram": "Token frequencies: a model that knows how often each token comes, and does not look at the sentence",
    "limit": "Noise floor: the plugin says that nobody can do better on these data",
}


class LossPlot(StepPlot):
    """The raw training curve thin and faint, its smoothing over it, validation dashed, the best one starred."""

    def __init__(self, theme: Theme, playhead: Playhead) -> None:
        super().__init__(theme, playhead)
        self._raw, self._train = self.long_curve(), self.long_curve()
        self._valid = self.plot(symbol="o", symbolSize=5)
        self._best = self.plot(pen=None, symbol="star", symbolSize=13)
        self._best.setZValue(11)  # over the playhead
        self._names = {name: pg.TextItem(name, anchor=(0, 0.5)) for name in ("train", "valid")}
        self._invitation = pg.TextItem("Press Space: the loss falls from here.", anchor=(0.5, 0.5))
        # Each label stands where curves are not, which start at guessing and end near the limit; the playhead may come.
        self._levels = {
            name: pg.InfiniteLine(angle=0, label=name, labelOpts={"position": position})
            for name, position in (("guessing", 0.6), ("unigram", 0.8), ("limit", 0.02))
        }
        for name, meaning in _MEANINGS.items():
            self._levels[name].setZValue(11)
            self._levels[name].setToolTip(meaning)
            self._levels[name].label.setToolTip(meaning)
        for item in (*self._names.values(), *self._levels.values(), self._invitation):
            item.setVisible(False)
            self.addItem(item, ignoreBounds=True)
        self._changes: list[pg.InfiniteLine] = []  # a line for each setting that was changed during the run
        self.setAccessibleName("Loss in nats per target token over steps")
        self.take_theme()

    def take_theme(self) -> None:
        super().take_theme()
        training, validation = self.theme.colour("training"), self.theme.colour("validation")
        self._raw.setPen(pg.mkPen(self.theme.colour("training", 0.3), width=1))
        self._train.setPen(pg.mkPen(training, width=2))
        self._valid.setPen(pg.mkPen(validation, width=2, style=Qt.PenStyle.DashLine))
        for points in (self._valid, self._best):
            points.setSymbolBrush(validation)
            points.setSymbolPen(validation)
        for name, colour in (("train", training), ("valid", validation)):
            self._names[name].setColor(colour)
            self._names[name].setFont(self.theme.font(0.9, bold=True))
            self._names[name].setAnchor((-self.theme.px(_NAME_GAP) / self._names[name].boundingRect().width(), 0.5))
        self._invitation.setColor(self.theme.colour("muted"))
        self._invitation.setFont(self.theme.font())
        for line in (*self._levels.values(), *self._changes):
            line.setPen(pg.mkPen(self.theme.colour("muted"), width=1, style=Qt.PenStyle.DotLine))
            line.label.setColor(self.theme.colour("muted"))
            line.label.fill = pg.mkBrush(self.theme.colour("surface", 0.85))
            line.label.textItem.setFont(self.theme.font(0.85))

    def draw(self, history: History) -> None:
        steps, losses = history.curve("train/loss")
        smooth = smoothed(losses)
        self._raw.setData(steps, losses)
        self._train.setData(steps, smooth)
        valid_steps, valid = self._draw_validations(history)
        guessing = self._draw_levels(history)
        # Of what was typed between two steps only the last value ever acted.
        self._draw_changes(list({(one.step, one.key): one for one in history.settings_changed}.values()))
        if not self.is_held:
            seen = np.concatenate([smooth, valid, [0.1]])
            top = float(seen[np.isfinite(seen)].max()) * _HEADROOM
            self.show_values(max(top, guessing * _ROOM_FOR_GUESSING))
        self._part_level_names()
        self._name_ends({"train": (steps, smooth), "valid": (valid_steps, valid)})
        self._invite(len(steps) == 0)

    def _draw_validations(self, history: History) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        points = [(step, one["valid/loss"]) for step, one in sorted(history.validations.items()) if "valid/loss" in one]
        steps, losses = np.array(points, dtype=np.float64).reshape(-1, 2).T
        renew(self._valid, steps, losses)
        best = best_validation(history)
        is_best = np.isin(steps, [] if best is None else [best.step])
        renew(self._best, steps[is_best], losses[is_best])
        self._best.scatter.setToolTip("" if best is None else best.text)
        return steps, losses

    def _invite(self, is_untrained: bool) -> None:
        self._invitation.setVisible(is_untrained)
        if is_untrained:
            self._invitation.setPos(self.viewRect().center())

    def _draw_levels(self, history: History) -> float:
        """Place the lines for guessing and for the limit; the height of guessing, so that it is on the axis."""
        if history.prepared is None:
            return 0.0
        num_tokens = len(history.prepared.tgt_tokens)
        guessing, limit = math.log(num_tokens), history.prepared.limits.get("valid/loss")
        self._place_level("guessing", guessing, f"guessing: ln {num_tokens} = {{:.2f}}")
        self._place_level("limit", limit, "noise floor {:.3f}")
        self._place_level("unigram", history.prepared.unigram_loss, "token frequencies: {:.2f}")
        return guessing

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

    def _place_level(self, name: str, loss: float | None, text: str) -> None:
        """Put a line where it belongs; hide it where that is not known."""
        line = self._levels[name]
        line.setVisible(loss is not None)
        if loss is not None:
            line.setValue(loss)
            name_line(line, text.format(loss))

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

    def _name_ends(self, curves: dict[str, tuple[NDArray[Any], NDArray[np.float64]]]) -> None:
        """Put each curve's name behind its end, a line apart from the other's and above the axis."""
        box = self.plotItem.vb
        line = self._names["train"].boundingRect().height() * box.viewRange()[1][1] / max(box.height(), 1.0)
        lowest = line / 2
        drawn = {name: curve for name, curve in curves.items() if np.isfinite(curve[1][-1:]).any()}
        for name, label in self._names.items():
            label.setVisible(name in drawn)
        for name, (steps, values) in sorted(drawn.items(), key=lambda item: float(item[1][1][-1])):
            place = max(float(values[-1]), lowest)
            self._names[name].setPos(float(steps[-1]), place)
            lowest = place + line
