"""Loss, learning rate and probes on one axis of steps, with one playhead through all of them."""

from __future__ import annotations

from core.history import History
from gui.panel import Panel
from gui.panels.learning_rate_plot import LearningRatePlot
from gui.panels.loss_plot import LossPlot
from gui.panels.probe_ticks import ProbeTicks
from gui.playhead import Playhead
from gui.theme import Theme


class Curves(Panel):
    """The run so far, all of it; the playhead stands at step s."""

    title = "Loss, nats per target token"
    empty_sentence = "The loss appears here with the first step. Press Space to learn."

    def __init__(self, theme: Theme, playhead: Playhead) -> None:
        super().__init__(theme)
        self.loss = LossPlot(theme, playhead)
        self.learning_rate = LearningRatePlot(theme, playhead)
        self.ticks = ProbeTicks(theme, playhead)
        self.body.setSpacing(0)
        for plot in (self.learning_rate, self.ticks):
            plot.setXLink(self.loss)
        self.body.addWidget(self.loss, 1)
        self.body.addWidget(self.learning_rate)
        self.body.addWidget(self.ticks)
        self.setToolTip(
            "Unsmoothed cross entropy in nats per target token, <eos> counted. "
            "Train with dropout on, valid with it off. Click or drag to look at an earlier step."
        )

    def show_step(self, history: History, step: int) -> None:
        """Draw the run with the playhead at `step`."""
        if history.prepared is None and history.last_step == 0:
            self.show_empty()
            return
        self.show_body()
        self.set_title(self.title + figures_at(history, step))
        for plot in (self.loss, self.learning_rate, self.ticks):
            plot.show_step(history, step)


def figures_at(history: History, step: int) -> str:
    """The numbers under the playhead, in words; nothing before the first step."""
    metrics = {"train": "train/loss", "valid": "valid/loss", "learning rate": "train/learning_rate"}
    values = {name: history.value(metric, step) for name, metric in metrics.items()}
    known = [f"{name} {value:.3g}" for name, value in values.items() if value is not None]
    return f" · step {step:,}: {', '.join(known)}" if known else ""
