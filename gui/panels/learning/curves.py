"""Loss, learning rate and probes on one axis of steps, with one playhead through all of them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from core.history import History
from core.run_folder import RunFolder
from gui.panel import Panel, Table
from gui.panels.learning.learning_rate_plot import LearningRatePlot
from gui.panels.learning.loss_plot import LossPlot
from gui.panels.learning.notice_bar import NoticeBar
from gui.panels.learning.probe_ticks import ProbeTicks
from gui.panels.learning.step_axis import axis_end
from gui.playhead import Playhead
from gui.replay import Replay
from gui.theme import Theme
from gui.widgets import IconButton


class Curves(Panel):
    """The run so far, all of it; the playhead stands at step s."""

    title = "Loss, nats per target token"
    empty_sentence = "The loss appears here with the first step. Press Space to learn."
    is_picture = True

    def __init__(self, theme: Theme, playhead: Playhead, replay: Replay) -> None:
        super().__init__(theme)
        self._playhead, self._replay = playhead, replay
        self._folder: RunFolder | None = None  # of the run that is drawn
        self._history = History()  # that is drawn
        self.loss = LossPlot(theme, playhead)
        self.learning_rate = LearningRatePlot(theme, playhead)
        self.ticks = ProbeTicks(theme, playhead)
        self.replay_button = IconButton(theme, "replay", "Replay")
        self.replay_button.clicked.connect(replay.toggle)
        replay.changed.connect(self._show_replay)
        self._show_replay()
        self.notices = NoticeBar(theme)
        self.header.addWidget(self.notices.chip)
        self.header.addWidget(self.replay_button)
        self.under_header.addWidget(self.notices)
        self.body.setSpacing(0)
        for plot in (self.learning_rate, self.ticks):
            plot.setXLink(self.loss)
        self.body.addWidget(self.loss, 1)
        self.body.addWidget(self.learning_rate)
        self.body.addWidget(self.ticks)
        self.setToolTip(
            "Unsmoothed cross entropy in nats per target token, <eos> counted. "
            "Train with dropout on, valid with it off. Click, drag or use the arrow keys to look at an earlier step; "
            "taller ticks below keep the weights too, and a mark says what happened there."
        )
        self.setAccessibleDescription("Left and right go from probe to probe, Home to step 0, End to the newest step")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_step(self, history: History, step: int) -> None:
        """Draw the run with the playhead at `step`, and what was noticed of it."""
        if history.prepared is None and history.last_step == 0:
            self.show_empty()
            return
        self.show_body()
        self._history = history
        self.set_title(self.title + figures_at(history, step))
        plots = (self.loss, self.learning_rate, self.ticks)
        is_held = self._is_held(history)
        for plot in plots:
            plot.is_held = is_held
        if not is_held:  # the other plots are linked to the first
            max_steps = history.prepared.config.training.max_steps if history.prepared is not None else 0
            self.loss.show_steps(axis_end(history.last_step, max_steps))
        for plot in plots:
            plot.show_step(history, step)
        self.notices.show_step(history, step)

    def numbers(self) -> Table:
        """A line for each step, a column for each metric; empty where a step has none."""
        curves = {name: self._history.curve(name) for name in self._history.names}
        values = {name: dict(zip(steps.tolist(), made.tolist(), strict=True)) for name, (steps, made) in curves.items()}
        steps = sorted({step for known in values.values() for step in known})
        lines = ([int(step), *(known.get(step, "") for known in values.values())] for step in steps)
        return [["step", *values], *lines]

    def _show_replay(self) -> None:
        """What the button would do."""
        is_playing = self._replay.is_playing
        self.replay_button.set_icon("pause" if is_playing else "replay")
        self.replay_button.setAccessibleName("Stop the replay" if is_playing else "Replay")
        self.replay_button.setToolTip(
            "Stop here (P)" if is_playing else "See it learn again, probe by probe, from the viewed step (P)"
        )

    def _is_held(self, history: History) -> bool:
        """Whether the axes stay, so that nothing jumps under the mouse; those of another run are placed anew."""
        is_same_run, self._folder = history.folder is self._folder, history.folder
        is_under_mouse = any(plot.underMouse() for plot in (self.loss, self.learning_rate, self.ticks))
        return is_under_mouse and is_same_run and history.last_step > 0

    def leaveEvent(self, event: QEvent) -> None:
        """The axes may follow again, though nothing new may come to be drawn."""
        self.mark_dirty()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """From probe to probe, as a mouse drags the playhead."""
        here = self._playhead.step
        match event.key():
            case Qt.Key.Key_Left:
                self._playhead.view(self._replay.before(here) or 0)
            case Qt.Key.Key_Right:
                after = self._replay.after(here)
                self._playhead.view(self._playhead.live_step if after is None else after)
            case Qt.Key.Key_Home:
                self._playhead.view(0)
            case Qt.Key.Key_End:
                self._playhead.go_live()
            case _:
                super().keyPressEvent(event)


def figures_at(history: History, step: int) -> str:
    """The numbers under the playhead, in words; nothing before the first step."""
    metrics = {"train": "train/loss", "valid": "valid/loss", "learning rate": "train/learning_rate"}
    values = {name: history.value(metric, step) for name, metric in metrics.items()}
    known = [f"{name} {value:.3g}" for name, value in values.items() if value is not None]
    return f" · step {step:,}: {', '.join(known)}" if known else ""
