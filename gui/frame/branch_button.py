"""The button that begins a new run from the viewed step, with the waiting changes; the current run is kept."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from core.data.splits import has_pairs, pairs_unavailable
from core.events import Trouble
from core.settings.branch_changes import first_incompatible
from gui.context import Context
from gui.widgets.buttons import set_enabled

NAME = "Continue from the viewed step"
HELP = (
    "A new run from the viewed step; this one is kept. Change something in Setup, then Learn: it continues from these "
    "weights with the change, if they fit it (Ctrl+B). From a checkpoint it continues exactly; a snapshot keeps only "
    "the weights, so the optimizer starts afresh."
)


class BranchButton(QPushButton):
    """Hidden if Learn does the same, or if no weights were kept. Its owner calls `refresh`."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._shows_changes = True
        self._short_text = NAME  # its text without the number of changes
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves Space to Learn
        self.setAccessibleName(NAME)
        self.setAccessibleDescription(HELP)
        self.clicked.connect(self._branch)
        self.hide()

    def refresh(self) -> None:
        """Say from which step, and with how many changes."""
        step = self._step()
        if step is not None:
            count = len(self._context.workbench.branch_changes)
            changes = f" with {count} change{'s' * (count != 1)}" if count else ""
            self._short_text = f"Continue from {step:,}"
            self.setAccessibleName(self._short_text + changes)
        self.show_changes(self._shows_changes)  # enables it too: Ctrl+B asks for it even while it is hidden
        self.setVisible(step is not None)

    def show_changes(self, is_shown: bool) -> None:
        """Whether the button itself, or only its tooltip, says with how many changes the new run begins."""
        self._shows_changes = is_shown
        full_text = self.accessibleName()
        self.setText(full_text if is_shown else self._short_text)
        self.setAccessibleDescription(HELP if is_shown else f"{full_text}. {HELP}")
        set_enabled(self, self._why_not())

    def _step(self) -> int | None:
        """The newest step at or before the viewed one with kept weights (in a shared run, else the newest of all).

        None if there is no such step, or if a branch is of no use.
        """
        if not self._is_useful():
            return None
        kept = self._context.bridge.history.kept_steps
        before = [step for step in kept if step <= self._context.playhead.step]
        return max(before or (kept if self._context.workbench.is_shared else ()), default=None)

    def _is_useful(self) -> bool:
        """Whether a branch does more than Learn, which goes on from the newest step, with changes that act at once.

        Changes that wait for a new run need a branch, unless the run itself is one that has taken no step yet.
        """
        workbench = self._context.workbench
        if self._context.follower.status or workbench.run is None:
            return False
        fits = workbench.waiting_changes and first_incompatible(workbench.waiting_changes) is None
        needs_branch = workbench.is_shared or (fits and not workbench.will_replace_branch)
        return bool(needs_branch) or not self._context.playhead.is_live

    def _why_not(self) -> str:
        workbench, prepared = self._context.workbench, self._context.bridge.history.prepared
        if unfit := first_incompatible(workbench.branch_changes):
            return f"{unfit} needs other weights: Restart begins an untrained run with it"
        if workbench.is_shared or prepared is None:  # the new run asks the plugin for pairs
            return ""
        return "" if has_pairs(prepared.num_pairs) else pairs_unavailable(prepared.config.dataset.plugin)

    def _branch(self) -> None:
        """Begin the new run, or say why there can be none: Ctrl+B asks for it even while the button is hidden."""
        run, step = self._context.workbench.run, self._step()
        if self._context.workbench.is_opening:  # asked for already, by a double click; or the run is being left
            return
        if run is not None and step is not None:
            self._context.workbench.branch(run, step)
        elif self._is_useful():
            self._report_missing_weights()

    def _report_missing_weights(self) -> None:
        viewed, kept = self._context.playhead.step, self._context.bridge.history.kept_steps
        sentence = f"No weights are kept at or before step {viewed:,}: no run can continue from there."
        advice = f"The earliest are those of step {kept[0]:,}." if kept else "A checkpoint or a pause keeps some."
        trouble = Trouble(sentence=sentence, advice=advice, until_prepared=True, is_note=True)
        self._context.bridge.trouble.emit(trouble)
