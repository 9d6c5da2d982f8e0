"""The notices about the run, behind a chip: what was noticed, what it usually means, and an experiment to try."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from core.history import History
from core.notices.notice import Experiment, Notice, NoticeKind
from gui.theme import GRID, Theme
from gui.widgets.buttons import IconButton, button, set_enabled
from gui.widgets.labels import plain_label

_NOW_HELP = "Takes effect between two steps, and is marked over the curve; Setup changes it back"
_RESET_HELP = (
    "Begins a new run with it, and with any other change that waits in Setup, as Restart does; this run is saved and "
    "kept"
)


class NoticeBar(QFrame):
    """Shows one of the notices that hold at the viewed step; bar and chip are hidden if there is none.

    `experiment_requested` carries the experiment that was clicked. A notice that was dismissed or tried does not return
    for this run.
    """

    experiment_requested = Signal(Experiment)
    chip_changed = Signal(str)  # the text of its chip; empty if there is no notice

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("notice")
        self.setAccessibleName("Noticed")
        self.chip = button(
            "", "What was noticed in this run, what it usually means, and what to try", role="chip", name="Notices"
        )
        self.chip.setCheckable(True)
        self.seen_label = plain_label(wraps=True, is_copyable=True)
        self.usually_label = plain_label(role="muted", wraps=True, is_copyable=True)
        self.next_button = IconButton(theme, "next", "Next notice")
        self.try_button = button("", "", name="Try it")
        self.dismiss_button = IconButton(theme, "close", "Dismiss", "Dismiss for this run, while this window is open")
        self.notices: list[Notice] = []
        self._shown: Notice | None = None
        self._experiment: Experiment | None = None
        self._why_not = self._why_not_now = ""
        self._run: Path | None = None
        self._dismissed: set[tuple[Path | None, NoticeKind]] = set()
        self._history, self._step = History(), 0
        self._lay_out()
        self.chip.toggled.connect(self.setVisible)
        self.next_button.clicked.connect(self._show_next)
        self.try_button.clicked.connect(self._try)
        self.dismiss_button.clicked.connect(self._dismiss)
        self.chip.hide()
        self.hide()

    def show_step(self, history: History, step: int) -> None:
        """Offer the notices that hold at `step`; the shown one stays while it holds."""
        self._history, self._step = history, step
        self._run = history.folder.path if history.folder is not None else None
        found = history.notices.at(step)
        self.notices = [one for one in found if (self._run, one.rule.kind) not in self._dismissed]
        if not self.notices:
            self._hide_bar()
            return
        count = len(self.notices)
        self.chip.setText("1 notice" if count == 1 else f"{count} notices")
        self.chip.setAccessibleName(self.chip.text())
        self.chip.show()
        self.chip_changed.emit(self.chip.text())
        self.next_button.setVisible(count > 1)
        self._show(self._shown if self._shown in self.notices else self.notices[0])

    def allow_trying(self, why_not: str, why_not_now: str = "") -> None:
        """Disable trying for the given reason, if any; `why_not_now` applies only to experiments that act at once."""
        self._why_not, self._why_not_now = why_not, why_not_now
        self._enable()

    def _hide_bar(self) -> None:
        focused = self.window().focusWidget()
        if focused is not None and (focused is self.chip or self.isAncestorOf(focused)):
            self.window().setFocus()  # else Qt gives it to the next button, and Space does not reach Learn
        self.chip.hide()
        self.chip.setChecked(False)
        self.chip_changed.emit("")
        self._shown = None

    def _show(self, notice: Notice) -> None:
        assert self._history.prepared is not None  # else there are no notices
        self._shown = notice
        self._experiment = notice.rule.experiment(self._history.prepared.config)
        self.seen_label.setText(notice.observation)
        self.usually_label.setText(notice.rule.meaning)
        self.setAccessibleDescription(f"{notice.observation} {notice.rule.meaning}")
        self.try_button.setVisible(self._experiment is not None)
        if self._experiment is not None:
            text = f"Try it: {self._experiment.text}"
            self.try_button.setText(text)
            self.try_button.setAccessibleName(text)
            self.try_button.setAccessibleDescription(_NOW_HELP if self._experiment.acts_now else _RESET_HELP)
            self._enable()

    def _enable(self) -> None:
        acts_now = self._experiment is not None and self._experiment.acts_now
        set_enabled(self.try_button, self._why_not or (self._why_not_now if acts_now else ""))

    def _show_next(self) -> None:
        assert self._shown is not None
        self._show(self.notices[(self.notices.index(self._shown) + 1) % len(self.notices)])

    def _try(self) -> None:
        experiment = self._experiment
        self._dismiss()
        self.experiment_requested.emit(experiment)

    def _dismiss(self) -> None:
        assert self._shown is not None
        self._dismissed.add((self._run, self._shown.rule.kind))
        self.show_step(self._history, self._step)

    def _lay_out(self) -> None:
        texts = QVBoxLayout()
        texts.setSpacing(GRID // 2)
        texts.addWidget(self.seen_label)
        texts.addWidget(self.usually_label)
        row = QHBoxLayout(self)
        row.setContentsMargins(GRID, GRID // 2, GRID // 2, GRID // 2)
        row.setSpacing(GRID)
        row.addLayout(texts, 1)
        for widget in (self.try_button, self.next_button, self.dismiss_button):
            row.addWidget(widget)
