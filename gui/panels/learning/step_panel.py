"""The base class of panels with an axis of steps: its range, keys from probe to probe, and replay buttons."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from core.history import History
from core.run_folder import RunFolder
from gui.panel import Panel
from gui.panels.learning.replay_button import ReplayButton
from gui.panels.learning.step_axis import axis_end
from gui.panels.learning.step_plot import StepPlot
from gui.playhead import Playhead
from gui.replay import Replay
from gui.theme import Theme

HELP = (
    "Click, drag or use the arrow keys to look at an earlier step; the wheel zooms in, a double click zooms out; "
    "each tick is a probe, a taller one kept the weights too, and a mark says what happened there."
)


class StepPanel(Panel):
    """Subclasses set `plots`, of which all after the first are linked to it, and draw with `show_plots`."""

    plots: tuple[StepPlot, ...] = ()

    def __init__(self, theme: Theme, playhead: Playhead, replay: Replay) -> None:
        super().__init__(theme)
        self._playhead, self._replay = playhead, replay
        self._drawn: tuple[RunFolder | None, StepPlot | None] = None, None  # the drawn run, and the first plot
        self.rewind_button = ReplayButton(theme, replay, is_rewinding=True)
        self.replay_button = ReplayButton(theme, replay, is_rewinding=False)
        self.setAccessibleDescription("Left and right go from probe to probe, Home to step 0, End to the newest step")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_plots(self, history: History, step: int) -> None:
        """Draw the run with the playhead at `step`."""
        is_frozen = self._is_frozen(history)
        for plot in self.plots:
            plot.is_frozen = is_frozen
        if not is_frozen:
            max_steps = history.prepared.config.training.max_steps if history.prepared is not None else 0
            self.plots[0].set_step_range(axis_end(history.last_step, max_steps))
        for plot in self.plots:
            plot.show_step(history, step)

    def connect_plot(self, plot: StepPlot) -> None:
        """Let the axes follow the run again when the mouse rests on this plot, or a double click asks for the whole."""
        plot.mouse_rested.connect(self.mark_dirty)
        plot.reset_requested.connect(self._reset_range)

    def _reset_range(self) -> None:
        self._drawn = None, None
        self.mark_dirty()

    def _is_frozen(self, history: History) -> bool:
        """Whether the axes stay as they are, so that nothing moves under the mouse; not for another run or plot."""
        before, self._drawn = self._drawn, (history.folder, self.plots[0])
        under_mouse = [plot for plot in self.plots if plot.underMouse()]
        is_looked_at = any(plot.is_hovered or self.plots[0].is_zoomed for plot in under_mouse)
        return is_looked_at and before == self._drawn and history.last_step > 0

    def leaveEvent(self, event: QEvent) -> None:
        """Draw again so that the axes follow, even if nothing new arrives."""
        self.mark_dirty()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the playhead from probe to probe, as dragging does."""
        here = self._playhead.step
        match event.key():
            case Qt.Key.Key_Left:
                self._playhead.drag_to(self._replay.previous_step(here) or 0)
            case Qt.Key.Key_Right:
                after = self._replay.next_step(here)
                self._playhead.drag_to(self._playhead.live_step if after is None else after)
            case Qt.Key.Key_Home:
                self._playhead.drag_to(0)
            case Qt.Key.Key_End:
                self._playhead.go_live()
            case _:
                super().keyPressEvent(event)
