"""The transport bar: learn, pause, step, reset, pace, and what the engine is doing."""

from __future__ import annotations

import re
import time

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent, QValidator
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QPushButton, QSizePolicy, QSlider, QToolTip

from gui.bridge import WindowState
from gui.context import NOTHING_PREPARED, Context
from gui.frame.branch_button import BranchButton
from gui.icons import icon
from gui.runs.rows import EXAMPLE_STAYS
from gui.theme import GRID
from gui.widgets.buttons import IconButton, button, enable
from gui.widgets.flow import FlowLayout, side_by_side
from gui.widgets.labels import plain_label, set_role
from gui.widgets.moving_labels import FigureLabel
from gui.widgets.spins import MARKED
from gui.workbench import MORE_STEPS

WORDY = 980  # pixels at 100 %: what all words in one row need
READABLE_S = 0.2  # figures that change faster are not read, and each change is painted
PACES: tuple[float | None, ...] = (1, 3, 10, None)  # steps a second
STATES: dict[WindowState, str] = {
    "starting": "starting",
    "empty": "nothing prepared: choose other data or settings in Setup (Ctrl+E)",
    "preparing": "preparing",
    "ready": "untrained",
    "learning": "learning",
    "paused": "paused",
    "finished": "finished",
    "failed": "stopped",
}
ENDED = "Headlight computes no more after its own fault: close it and start it again; what was saved is safe"
LEARN_HELP = "Learn, or pause (Space)"
GO_ON_HELP = f"Go on for {MORE_STEPS:,} steps after the last (Space); Reset begins another run"
CAN_LEARN: tuple[WindowState, ...] = ("ready", "learning", "paused", "finished")


class Transport(QFrame):
    """Buttons to the workbench's methods; shows the engine's state and the newest step."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.setObjectName("transport")
        self.context = context
        self.learn_button = button("Learn", LEARN_HELP)
        self.learn_button.setObjectName("learn")
        self.learn_button.setProperty("role", "filled")
        self.step_buttons = tuple(_step_button(steps) for steps in (1, 10, 100))
        self.reset_button = button("Reset", "Untrained again with the same seed; with Shift: the next seed (Ctrl+R)")
        self.seed_edit = _SeedEdit()
        self.pace_slider = _pace_slider()
        self.pace_label = plain_label("max", role="muted")
        self.finish_button = button("Finish and keep", "End the run here: validate, save and close it")
        self.live_button = button("", "Follow the newest step again (L)", role="chip", name="Go live")
        self.branch_button = BranchButton(context)
        self.mode_button = IconButton(context.theme, "dark", "Light or dark", "Light or dark (Ctrl+D)")
        self.help_button = IconButton(context.theme, "help", "Help", "Keyboard, and about Headlight (F1)")
        self.state_label = FigureLabel()
        self._is_terse = False
        self._shown_at = 0.0  # when the step was last shown
        self._seed = 0  # typed out last, to which what turns out to be none goes back
        self._lay_out()
        self._connect()
        self.refresh()

    def refresh(self) -> None:
        """Show the state, the steps and what can be clicked now."""
        workbench, state = self.context.workbench, self.context.bridge.state
        self.mode_button.set_icon("light" if self.context.theme.mode == "dark" else "dark")
        self._show_learn(state)
        for step_button in self.step_buttons:
            enable(step_button, self._why_no_steps(state))
        why_not = "" if workbench.draft else "Nothing to reset yet: data are being prepared"
        enable(self.reset_button, self._why_nothing() or why_not)
        has_run = workbench.run is not None and state in ("learning", "paused")
        why_none = "This run is kept already" if workbench.run else "There is no run to finish yet: Learn begins one"
        enable(self.finish_button, self._why_no_learning(state) if has_run else why_none)
        self._show_step()
        self._show_seed()

    def leave_filling(self, is_left: bool) -> None:
        """One button of a screen is filled: Learn, unless that is left to another."""
        set_role(self.learn_button, "" if is_left else "filled")
        self.refresh()

    def _show_seed(self) -> None:
        draft, edit = self.context.workbench.draft, self.seed_edit
        if not edit.hasFocus():
            self._keep_seed()
        is_being_typed = edit.hasFocus() and not edit.hasAcceptableInput()  # emptied, to type another
        if draft is not None and not is_being_typed and edit.text() != str(draft.seed):
            edit.setText(str(draft.seed))

    def _show_step(self) -> None:
        """Show the newest step and the viewed one."""
        self._shown_at = time.perf_counter()
        playhead = self.context.playhead
        self._show_state(self.context.bridge.state)
        if not playhead.is_live:
            viewing = f"viewing {playhead.step:,} · LIVE ({playhead.live_step:,})"
            self.live_button.setText("LIVE" if self._is_terse else viewing)
        self.live_button.setVisible(not playhead.is_live)
        self.branch_button.refresh()
        self.finish_button.setVisible(self.branch_button.isHidden())  # a second row would push the view down

    def _follow_view(self) -> None:
        if not (self.context.playhead.is_live and self.live_button.isHidden()):
            self._show_step()

    def _follow_training(self) -> None:
        is_readable = time.perf_counter() - self._shown_at >= READABLE_S
        if is_readable or self.context.bridge.state != "learning":
            self._show_step()

    def _show_state(self, state: WindowState) -> None:
        """Whose run is shown, what it does, and at which step where the button to go live does not say it."""
        watching, is_terse = self.context.follower.sentence, self._is_terse
        said, step, of_steps = watching or f"{_mark(state)} {STATES[state]}", "", ""
        if watching or state not in ("starting", "empty"):
            step, of_steps = f" · step {self.context.playhead.live_step:,}", self._of_steps()
        if self.context.playhead.is_live:
            self.state_label.setText(said + step if is_terse else said + step + of_steps)
        else:
            self.state_label.setText(_mark(state) if is_terse and not watching else said)
        self.state_label.setToolTip(said + step + of_steps if is_terse else "")

    def _of_steps(self) -> str:
        prepared = None if self.context.follower.sentence else self.context.bridge.history.prepared
        return f" of {prepared.config.training.max_steps:,}" if prepared else ""

    def _show_learn(self, state: WindowState) -> None:
        texts = {"learning": "Pause", "finished": f"{MORE_STEPS:,} more"}
        text = texts.get(state, "Learn")
        seen = f"+{MORE_STEPS:,}" if state == "finished" and self._is_terse else text
        reason = self._why_no_learning(state)
        colours, is_filled = self.context.theme.colours, self.learn_button.property("role") == "filled"
        colour = colours.faint if reason else colours.on_training if is_filled else colours.text
        self.learn_button.setText(seen)
        self.learn_button.setAccessibleName(text)
        self.learn_button.setAccessibleDescription(GO_ON_HELP if state == "finished" else LEARN_HELP)
        self.learn_button.setIcon(icon("pause" if state == "learning" else "play", colour))
        enable(self.learn_button, reason)

    def _why_nothing(self) -> str:
        return ENDED if self.context.bridge.engine.is_closed else ""

    def _why_no_learning(self, state: WindowState) -> str:
        if ended := self._why_nothing():
            return ended
        if watching := self.context.follower.reason:
            return f"{watching}: stop following it in Runs to learn here again"
        if self.context.workbench.is_example:
            return EXAMPLE_STAYS
        if self.context.workbench.is_shared:
            return "A shared run has no optimizer to go on with: “Continue from …” begins a run of your own"
        if state == "failed":
            return "This run cannot go on; Reset begins another"
        if state == "empty":
            return NOTHING_PREPARED
        return "" if state in CAN_LEARN else "Data and model are not ready yet"

    def _why_no_steps(self, state: WindowState) -> str:
        counted = {
            "learning": "Steps are counted from a pause: pause first",
            "finished": f"The run is finished: {MORE_STEPS:,} more goes on, Reset begins another",
        }
        return self._why_no_learning(state) or counted.get(state, "")

    def _reset(self) -> None:
        draft = self.context.workbench.draft
        if draft is not None and not self.seed_edit.tells_of_none():
            shift = QApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier
            self.context.workbench.reset(draft.seed + 1 if shift else None)

    def _edit_seed(self, text: str) -> None:
        """Each digit counts as soon as it is typed; of what is no seed then, nothing does."""
        draft = self.context.workbench.draft
        seed = int(text) if self.seed_edit.hasAcceptableInput() else self._seed
        if draft is not None and seed != draft.seed:
            self.context.workbench.edit("seed", seed)

    def _keep_seed(self) -> None:
        draft = self.context.workbench.draft
        if draft is not None:
            self._seed = draft.seed

    def _set_pace(self, place: int) -> None:
        pace = PACES[place]
        self.pace_label.setText("max" if pace is None else f"{pace:g} / s")
        self.context.workbench.set_pace(pace)

    def _lay_out(self) -> None:
        self.learn_button.setMinimumWidth(112)
        self.pace_label.setMinimumWidth(self.fontMetrics().horizontalAdvance("10 / s  "))
        self._names = seed, pace = plain_label("seed", role="muted"), plain_label("pace", role="muted")
        flow = FlowLayout(self, GRID, GRID)
        for part in (
            side_by_side(self.learn_button, *self.step_buttons),
            side_by_side(self.reset_button, seed, self.seed_edit),
            side_by_side(pace, self.pace_slider, self.pace_label),
            *(self.finish_button, self.branch_button, self.live_button),
            side_by_side(self.state_label, self.mode_button, self.help_button),
        ):
            flow.addWidget(part)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Say less where there is little room, as on a projector: a second row would push the view down."""
        is_terse = self.width() < self.context.theme.px(WORDY)
        if is_terse != self._is_terse:
            self._is_terse = is_terse
            for name in self._names:
                name.setHidden(is_terse)
            self.finish_button.setText("Finish" if is_terse else "Finish and keep")
            self.refresh()

    def _connect(self) -> None:
        context, workbench = self.context, self.context.workbench
        self.learn_button.clicked.connect(workbench.toggle)
        for step_button in self.step_buttons:
            step_button.clicked.connect(self._step)
        self.reset_button.clicked.connect(self._reset)
        self.seed_edit.textEdited.connect(self._edit_seed)
        self.seed_edit.left.connect(self._show_seed)
        for typed_out in (self.seed_edit.returnPressed, self.reset_button.clicked, workbench.asked_to_learn):
            typed_out.connect(self._keep_seed)
        self.pace_slider.valueChanged.connect(self._set_pace)
        self.mode_button.clicked.connect(context.theme.toggle_mode)
        self.finish_button.clicked.connect(workbench.finish)
        self.live_button.clicked.connect(context.playhead.go_live)
        context.bridge.state_changed.connect(self.refresh)
        context.bridge.setting_changed.connect(self._show_step)
        context.playhead.moved.connect(self._follow_view)
        context.playhead.live_moved.connect(self._follow_training)
        workbench.changed.connect(self.refresh)
        context.follower.changed.connect(self.refresh)
        context.theme.changed.connect(self.refresh)
        context.theme.changed.connect(self._fit)

    def _step(self) -> None:
        sender = self.sender()
        assert isinstance(sender, QPushButton)
        self.context.workbench.step(int(sender.text()))


def _mark(state: WindowState) -> str:
    return {"learning": "●", "finished": "✓", "failed": "✗", "paused": "▮▮"}.get(state, "○")


def _step_button(steps: int) -> QPushButton:
    noun = "step" if steps == 1 else "steps"
    return button(f"+{steps}", f"Learn {steps} {noun} and pause", name=f"Learn {steps} {noun}")


class _SeedValidator(QValidator):
    """Lets what might be taken for a part of the number be seen: 2,5 is no seed, and 25 less so."""

    def validate(self, text: str, place: int) -> tuple[QValidator.State, str, int]:
        if re.fullmatch(r"\d{1,9}", text, re.ASCII):
            return QValidator.State.Acceptable, text, place
        is_on_its_way = len(text) <= 12 and (not text or MARKED.fullmatch(text) is not None)
        return QValidator.State.Intermediate if is_on_its_way else QValidator.State.Invalid, text, place


class _SeedEdit(QLineEdit):
    """Takes digits; Space, which is none, goes on to the window: it is Learn there."""

    left = Signal()

    def __init__(self) -> None:
        super().__init__("0")
        self.setObjectName("seed")
        self.setAccessibleName("Seed")
        self.setToolTip("Decides initial weights, dropout and the order of the data")
        self.setValidator(_SeedValidator(self))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.textChanged.connect(self._mark)

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance("0") * 9, super().sizeHint().height())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.tells_of_none()
        self.left.emit()

    def tells_of_none(self) -> bool:
        """Whether what was typed out is no seed, which is not taken, and is told of then."""
        is_none = bool(self.text()) and not self.hasAcceptableInput()
        if is_none:
            sentence = f"{self.text()} is no seed: a whole number from 0 to 999,999,999, without marks"
            QToolTip.showText(self.mapToGlobal(QPoint(0, self.height())), sentence, self)
        return is_none

    def _mark(self) -> None:
        set_role(self, "" if self.hasAcceptableInput() else "error")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            event.ignore()
        else:
            super().keyPressEvent(event)
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.tells_of_none()


def _pace_slider() -> QSlider:
    slider = QSlider(Qt.Orientation.Horizontal)
    slider.setRange(0, len(PACES) - 1)
    slider.setValue(len(PACES) - 1)
    slider.setPageStep(1)
    slider.setFixedWidth(9 * GRID)
    slider.setAccessibleName("Pace")
    slider.setToolTip("At most 1, 3 or 10 steps a second, or as fast as it goes. It never changes the weights.")
    return slider
