"""Loss, learning rate and probes on one axis of steps, with one playhead through all of them."""

from __future__ import annotations

from core.history import History
from gui.panel import Table
from gui.panels.learning.learning_rate_plot import LearningRatePlot
from gui.panels.learning.loss_plot import LossPlot
from gui.panels.learning.notice_bar import NoticeBar
from gui.panels.learning.probe_ticks import ProbeTicks
from gui.panels.learning.step_panel import HELP, StepPanel
from gui.playhead import Playhead
from gui.replay import Replay
from gui.theme import Theme


class Curves(StepPanel):
    """The run so far, all of it; the playhead stands at step s."""

    title = "Loss, nats per target token"
    empty_sentence = "The loss appears here with the first step. Press Space to learn."
    is_picture = True

    def __init__(self, theme: Theme, playhead: Playhead, replay: Replay) -> None:
        super().__init__(theme, playhead, replay)
        self._history = History()  # that is drawn
        self.loss = LossPlot(theme, playhead)
        self.learning_rate = LearningRatePlot(theme, playhead)
        self.ticks = ProbeTicks(theme, playhead)
        self.plots = (self.loss, self.learning_rate, self.ticks)
        self.notices = NoticeBar(theme)
        for widget in (self.notices.chip, self.rewind_button, self.replay_button):
            self.header.addWidget(widget)
        self.under_header.addWidget(self.notices)
        self.body.setSpacing(0)
        for plot in (self.learning_rate, self.ticks):
            plot.setXLink(self.loss)
        self.body.addWidget(self.loss, 1)
        self.body.addWidget(self.learning_rate)
        self.body.addWidget(self.ticks)
        self.setToolTip(
            "Unsmoothed cross entropy in nats per target token, <eos> counted. "
            f"Train with dropout on, valid with it off. {HELP}"
        )

    def show_step(self, history: History, step: int) -> None:
        """Draw the run with the playhead at `step`, and what was noticed of it."""
        if history.prepared is None and history.last_step == 0:
            self.show_empty()
            return
        self.show_body()
        self._history = history
        self.set_title(self.title + figures_at(history, step))
        self.show_plots(history, step)
        self.notices.show_step(history, step)

    def numbers(self) -> Table:
        """A line for each step, a column for each metric; empty where a step has none."""
        curves = {name: self._history.curve(name) for name in self._history.names}
        values = {name: dict(zip(steps.tolist(), made.tolist(), strict=True)) for name, (steps, made) in curves.items()}
        steps = sorted({step for known in values.values() for step in known})
        lines = ([int(step), *(known.get(step, "") for known in values.values())] for step in steps)
        return [["step", *values], *lines]


def figures_at(history: History, step: int) -> str:
    """The numbers under the playhead, in words; nothing before the first step."""
    metrics = {"train": "train/loss", "valid": "valid/loss", "learning rate": "train/learning_rate"}
    values = {name: history.value(metric, step) for name, metric in metrics.items()}
    known = [f"{name} {value:.3g}" for name, value in values.items() if value is not None]
    return f" · step {step:,}: {', '.join(known)}" if known else ""
