"""The button that begins a new run with all waiting changes: untrained, or for a branch at its start with its weights.

While visible, it is the one filled button on the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QPushButton

from core.comparison.differences import changed_keys
from gui.sentences.tokens import isolated
from gui.widgets.labels import escape_mnemonics
from gui.workbench import Workbench


class RestartButton(QPushButton):
    """Hidden while no change waits. `visibility_changed` carries whether the button is now visible.

    `invalid_keys` returns the keys of settings whose typed values do not fit: the button is disabled until they do.
    """

    visibility_changed = Signal(bool)

    def __init__(self, workbench: Workbench, invalid_keys: Callable[[], Sequence[str]]) -> None:
        super().__init__()
        self._workbench, self._find_invalid = workbench, invalid_keys
        self.setProperty("role", "filled")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves Space to Learn
        self.setAccessibleDescription(
            "Begin a new run with the changes that need one; a run that has taken steps is kept"
        )
        self.clicked.connect(self._begin)
        workbench.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Say what a click would begin, or what has to be fixed first."""
        waiting = self._workbench.waiting_changes
        self.setAccessibleName(restart_text(self._workbench))
        self._fit()
        goes_on = self._workbench.will_replace_branch
        what = "Continue from these weights" if goes_on else "Begin a new run; the old one is kept"
        invalid_keys = self._find_invalid()
        self.setEnabled(not invalid_keys)
        self.setToolTip(
            f"First fix what is marked ✗: {', '.join(invalid_keys)}" if invalid_keys else what + _keys(waiting)
        )
        self.setVisible(bool(waiting))

    def _begin(self) -> None:
        """Begin once the plugin has accepted the options just typed; one that it rejects has to be fixed first."""
        if not self._workbench.option_check.defers(self._begin) and not self._find_invalid():
            self._workbench.restart()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Leave out the middle of a text that does not fit: a preset's or file's name may have a hundred characters."""
        metrics = self.fontMetrics()
        frame = self.sizeHint().width() - metrics.size(Qt.TextFlag.TextShowMnemonic, self.text()).width()
        seen = metrics.elidedText(self.accessibleName(), Qt.TextElideMode.ElideMiddle, self.width() - frame)
        self.setText(escape_mnemonics(seen))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.visibility_changed.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.visibility_changed.emit(False)


def restart_text(workbench: Workbench) -> str:
    """`Restart with 2 changes`; for another preset or file `Restart as copy_task`, and how much was changed since.

    For a branch that has taken no step yet: `Continue from 400 with 1 change`.
    """
    if workbench.will_replace_branch:
        return f"Continue from {workbench.new_branch_step:,} with {_changes(len(workbench.waiting_changes))}"
    taken, draft = workbench.draft_origin, workbench.draft
    if taken is None or draft is None or taken == workbench.applied:
        return f"Restart with {_changes(len(workbench.waiting_changes))}"
    changed = len(changed_keys(taken, draft))
    name = isolated(taken.name or taken.dataset.plugin)
    return f"Restart as {name}" + (f", {_changes(changed)}" if changed else "")


def _changes(count: int) -> str:
    return f"{count} change{'s' * (count != 1)}"


def _keys(waiting: tuple[str, ...]) -> str:
    """The keys, one per line; only their number if it is above 12, as with another preset."""
    return ":\n" + "\n".join(waiting) if len(waiting) <= 12 else f": {len(waiting)} settings differ"
