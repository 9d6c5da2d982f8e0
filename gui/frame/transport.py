"""The transport bar: learn, pause, step, reset, pace, and what the engine is doing."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QPushButton, QSlider

from core.config import NUM_SEEDS
from gui.context import Context
from gui.frame.branch_button import BranchButton
from gui.frame.disabled_reasons import why_not_finish, why_not_learn, why_not_reset, why_not_step
from gui.frame.seed_edit import LONG_SEED, SeedEdit
from gui.frame.state_words import StateWords
from gui.frame.terse import Terse
from gui.icons import icon
from gui.theme import GRID
from gui.widgets.buttons import IconButton, button, enable_or_release, set_enabled
from gui.widgets.dynamic_labels import NumberLabel
from gui.widgets.flow_layout import FlowLayout, side_by_side
from gui.widgets.labels import plain_label, set_role
from gui.workbench import MORE_STEPS

SHORT_SEED = 6  # digits, padding counted: most are one to four
READABLE_S = 0.2  # figures that change faster cannot be read, yet every change is painted
PACES: tuple[float | None, ...] = (1, 3, 10, None)  # steps a second
WIDEST_PACE = "10 / s  "
LEARN_HELP = "Learn, or pause (Space)"
CONTINUE_HELP = f"Continue for {MORE_STEPS:,} more steps (Space); Reset begins another run"


class Transport(QFrame):
    """Buttons that call the workbench's methods; shows the engine's state and the newest step."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.setObjectName("transport")
        self.context = context
        self.learn_button = button("Learn", LEARN_HELP)
        self.learn_button.setObjectName("learn")
        self.learn_button.setProperty("role", "filled")
        self.step_buttons = tuple(_step_button(steps) for steps in (1, 10, 100))
        self.reset_button = button(
            "Reset", "Back to an untrained model with the same seed (Ctrl+R); with Shift, the next seed (Ctrl+Shift+R)"
        )
        self.seed_edit = SeedEdit(context.workbench)
        self.pace_slider = _pace_slider()
        self.pace_label = plain_label("max", role="muted")
        self.finish_button = button("Finish and keep", "End the run here: validate, save and close it")
        self.live_button = button("", "Follow the newest step again (L)", role="chip", name="Go live")
        self.branch_button = BranchButton(context)
        self.mode_button = IconButton(context.theme, "dark", "Light or dark", "Light or dark (Ctrl+D)")
        self.help_button = IconButton(context.theme, "help", "Help", "Keyboard, and about Headlight (F1)")
        self.state_label = NumberLabel()
        self._terse = Terse.NOTHING
        self._fitted_for: tuple[object, ...] = ()  # what `_terse` was chosen for: widths, lengths, and Learn's text
        self._shown_at = 0.0  # when the step was last shown
        self._lay_out()
        self._connect()
        self.refresh()

    def refresh(self) -> None:
        """Show the state, the steps and what can be clicked now."""
        self.mode_button.set_icon("light" if self.context.theme.mode == "dark" else "dark")
        self._show_learn()
        for step_button in self.step_buttons:
            enable_or_release(step_button, why_not_step(self.context))
        enable_or_release(self.reset_button, why_not_reset(self.context))
        enable_or_release(self.finish_button, why_not_finish(self.context))
        self._show_step()

    def set_plain(self, is_left: bool) -> None:
        """Fill Learn, or leave that to another button: only one on the screen is filled."""
        set_role(self.learn_button, "" if is_left else "filled")
        self.refresh()

    def _show_step(self) -> None:
        """Show the newest step and the viewed one."""
        self._shown_at = time.perf_counter()
        self.live_button.setVisible(not self.context.playhead.is_live)
        self.branch_button.refresh()
        self.finish_button.setVisible(self.branch_button.isHidden())  # a second row would push the view down
        self._fit()

    def _follow_view(self) -> None:
        if not (self.context.playhead.is_live and self.live_button.isHidden()):
            self._show_step()

    def _follow_training(self) -> None:
        is_readable = time.perf_counter() - self._shown_at >= READABLE_S
        if is_readable or self.context.bridge.state != "learning":
            self._show_step()

    def _viewing(self) -> str:
        return f"viewing {self.context.playhead.step:,} · LIVE ({self.context.playhead.live_step:,})"

    def _show_learn(self) -> None:
        state = self.context.bridge.state
        texts = {"learning": "Pause", "finished": f"{MORE_STEPS:,} more"}
        text = texts.get(state, "Learn")
        seen = f"+{MORE_STEPS:,}" if state == "finished" and self._terse else text
        reason = why_not_learn(self.context)
        colours, is_filled = self.context.theme.colours, self.learn_button.property("role") == "filled"
        colour = colours.faint if reason else colours.on_training if is_filled else colours.text
        self.learn_button.setText(seen)
        self.learn_button.setAccessibleName(text)
        self.learn_button.setAccessibleDescription(CONTINUE_HELP if state == "finished" else LEARN_HELP)
        self.learn_button.setIcon(icon("pause" if state == "learning" else "play", colour))
        set_enabled(self.learn_button, reason)

    def reset_to_next_seed(self) -> None:
        """What Reset does with Shift."""
        if self.reset_button.isEnabled():
            self._reset(is_next=True)

    def _handle_reset(self) -> None:
        self._reset(is_next=bool(QApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier))

    def _reset(self, *, is_next: bool) -> None:
        draft = self.context.workbench.draft
        if draft is not None and not self.seed_edit.warn_if_invalid():
            self.context.workbench.reset((draft.seed + 1) % NUM_SEEDS if is_next else None)
            self.seed_edit.commit()

    def _set_pace(self, index: int) -> None:
        pace = PACES[index]
        self.pace_label.setText("max" if pace is None else f"{pace:g} / s")
        self.context.workbench.set_pace(pace)

    def _lay_out(self) -> None:
        self.learn_button.setMinimumWidth(112)
        self._name_labels = seed, pace = plain_label("seed", role="muted"), plain_label("pace", role="muted")
        self._flow, self._steps = FlowLayout(self, GRID), side_by_side(*self.step_buttons)
        self._flow.setContentsMargins(GRID, GRID, GRID, GRID)
        self._parts = (
            self.learn_button,
            self._steps,
            side_by_side(self.reset_button, seed, self.seed_edit),
            side_by_side(pace, self.pace_slider, self.pace_label),
            *(self.finish_button, self.branch_button, self.live_button),
            side_by_side(self.state_label, self.mode_button, self.help_button),
        )
        for part in self._parts:
            self._flow.addWidget(part)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Say less if there is little room, as on a projector: a second row would push the view down.

        If a second row is needed all the same, say as much as the rows have room for.
        """
        texts = StateWords.of(self.context).full_text, self._viewing(), self.branch_button.accessibleName()
        away = [part.isHidden() for part in (self.finish_button, self.branch_button, self.live_button)]
        fitted = (self.width(), self.context.theme.zoom, self.context.bridge.state, *away, *map(len, texts))
        if fitted == self._fitted_for:
            self._show_state()  # all that changes from step to step
            return
        self._fitted_for, heights = fitted, dict[Terse, int]()
        self.pace_label.setMinimumWidth(self.pace_label.fontMetrics().horizontalAdvance(WIDEST_PACE))
        for terse in Terse:
            self._apply_terseness(terse)
            heights[terse] = self._height_needed()
            if self._flow.fits_in_a_line(self.width()):
                return
        self._apply_terseness(min(Terse, key=heights.__getitem__))

    def _height_needed(self) -> int:
        self.state_label.shrink_to_text()
        for part in self._parts:
            part.updateGeometry()
        return self._flow.heightForWidth(self.width())

    def _apply_terseness(self, terse: Terse) -> None:
        """Show all but what this level leaves out."""
        self._terse = terse
        for name in self._name_labels:
            name.setHidden(terse >= Terse.NAMES)
        self.finish_button.setText("Finish" if terse >= Terse.NAMES else "Finish and keep")
        self.pace_label.setHidden(terse >= Terse.PACE)
        self.seed_edit.set_shown_digits(SHORT_SEED if terse >= Terse.PACE else LONG_SEED)
        self.branch_button.show_changes(terse < Terse.STEP)
        self._steps.setHidden(terse >= Terse.STEP_BUTTONS and not self.branch_button.isHidden())
        self._show_learn()
        self._show_state()

    def _show_state(self) -> None:
        """Show what the run does, at which step, and which step is viewed."""
        words = StateWords.of(self.context)
        self.live_button.setText("LIVE" if self._terse >= Terse.NAMES else self._viewing())
        self.state_label.setText(words.text_at(self._terse, is_live=self.context.playhead.is_live))
        self.state_label.setAccessibleName(words.full_text)
        self.state_label.setToolTip(words.full_text if self._terse else "")

    def _connect(self) -> None:
        context, workbench = self.context, self.context.workbench
        self.learn_button.clicked.connect(workbench.toggle)
        for step_button in self.step_buttons:
            step_button.clicked.connect(self._step)
        self.reset_button.clicked.connect(self._handle_reset)
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

    def _step(self) -> None:
        sender = self.sender()
        assert isinstance(sender, QPushButton)
        self.context.workbench.step(int(sender.text()))


def _step_button(steps: int) -> QPushButton:
    noun = "step" if steps == 1 else "steps"
    return button(f"+{steps}", f"Learn {steps} {noun} and pause", name=f"Learn {steps} {noun}")


def _pace_slider() -> QSlider:
    slider = QSlider(Qt.Orientation.Horizontal)
    slider.setRange(0, len(PACES) - 1)
    slider.setValue(len(PACES) - 1)
    slider.setPageStep(1)
    slider.setFixedWidth(9 * GRID)
    slider.setAccessibleName("Pace")
    slider.setToolTip("At most 1, 3 or 10 steps a second, or as fast as possible. The pace never changes the weights.")
    return slider
