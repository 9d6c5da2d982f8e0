"""The plot of training and validation loss in nats per target token, with lines for guessing and for the limit."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg

from core.history import History
from gui.panels.learning.line_labels import LINE_GAP
from gui.panels.learning.metric_labels import LOSS
from gui.panels.learning.step_plot import update_curve
from gui.panels.learning.validation_plot import CURVES_Z, HEADROOM, CurvePoints, Level, ValidationPlot, finite_values
from gui.playhead import Playhead
from gui.smoothing import smoothed
from gui.theme import Theme

_ROOM_FOR_GUESSING = 1.25  # top of the axis in units of that line's value, for its name; more in a low plot

# Positions away from the curves, which start at guessing and end near the limit.
_LEVELS = {
    "guessing": Level(0.6, "Guessing: a model to which every token of the target vocabulary is equally likely"),
    "unigram": Level(
        0.8,
        "Token frequencies: a model that knows how often each token comes, and does not look at the sentence",
    ),
    "limit": Level(0.02, "Noise floor: the plugin says that no model can do better on these data"),
}

_PRESS_SPACE = "Press Space: the loss falls from here."
_HINTS = {
    "preparing": "The loss falls from here, once it is ready.",
    "ready": _PRESS_SPACE,
    "paused": _PRESS_SPACE,  # a run opened again that was stopped before its first step
    "learning": "The loss falls from here.",
}


class LossPlot(ValidationPlot):
    """Draws the raw training curve thin and faint, the smoothed one above it, and the validations."""

    metric_name = LOSS

    def __init__(self, theme: Theme, playhead: Playhead) -> None:
        super().__init__(theme, playhead, ("train", "valid"), _LEVELS)
        self._raw, self._train = self.long_curve(), self.long_curve()
        for curve in (self._raw, self._train):
            curve.setZValue(CURVES_Z)
        self._smooth = np.empty(0)  # what `_train` draws
        self.setAccessibleName("Loss in nats per target token over steps")
        self.apply_theme()

    def apply_theme(self) -> None:
        super().apply_theme()
        self._raw.setPen(pg.mkPen(self.theme.colour("training", 0.3), width=1))
        self._train.setPen(pg.mkPen(self.theme.colour("training"), width=2))

    def draw_curves(self, history: History) -> CurvePoints:
        """Draw the training loss and the validations."""
        steps, losses = history.curve("train/loss")
        if update_curve(self._raw, steps, losses):
            self._smooth = smoothed(losses)
            self._train.setData(np.array(steps), self._smooth)
        return {"train": (steps, self._smooth), **super().draw_curves(history)}

    def place_levels(self, history: History) -> None:
        self.place_limit(history, "noise floor {:z.3f}".format)
        if history.prepared is not None:
            num_tokens = len(history.prepared.tgt_tokens)
            self.place_level("guessing", math.log(num_tokens), f"guessing: ln {num_tokens:,} = {{:.2f}}".format)
            self.place_level("unigram", history.prepared.unigram_loss, "token frequencies: {:.2f}".format)

    def range_of(self, curves: CurvePoints) -> tuple[float, float]:
        guessing = self._levels["guessing"]
        name = min((guessing.label.boundingRect().height() + LINE_GAP) / max(self.plotItem.vb.height(), 1.0), 0.5)
        room = max(_ROOM_FOR_GUESSING, 1.0 / (1.0 - name))
        highest = float(guessing.value()) * room if guessing.isVisible() else 0.0
        return 0.0, max(float(finite_values(curves, [0.1]).max()) * HEADROOM, highest)

    def hint(self, history: History) -> str:
        if len(history.curve("train/loss")[0]):
            return ""
        if history.last_step:  # its metrics.jsonl was deleted, or is damaged
            return "The losses of these steps are missing."
        return _HINTS.get(history.state, "")
