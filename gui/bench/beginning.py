"""Begins a run with its first Learn, and keeps track of its folder."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.requests import Branch, Learn, MoveRun, Start
from gui.bench.draft_and_run import DraftAndRun, Kept
from gui.bench.opening import Opening
from gui.bridge import EngineBridge
from gui.runs.place import RunsPlace
from gui.runs.trash import throw_away_branch, throw_away_stepless


class Beginning(QObject):
    """Asks for one run at a time, and remembers the newest that has begun, a branch included, until it is left.

    A run that is left before its first step goes to the trash, unless another was branched off it; so does a branch
    that another replaces. When the window closes, the run stays: the next start offers it, with its settings.
    """

    refused = Signal()

    def __init__(self, bridge: EngineBridge, at_hand: DraftAndRun, opening: Opening, place: RunsPlace) -> None:
        super().__init__(at_hand)
        self._bridge = bridge
        self._at_hand = at_hand
        self._opening = opening
        self._place = place
        self._asked: Start | None = None
        self._begun: Path | None = None
        opening.branched.connect(self._note)

    @property
    def is_asked(self) -> bool:
        """Whether a run was asked for and has not begun yet."""
        return self._asked is not None

    def ask(self, steps: int | None) -> None:
        """Begin a run that takes these steps; if one was already asked for, do nothing."""
        if self._asked is None:
            start = self._asked = Start(runs_dir=self._place.path)
            self._bridge.ask(start, partial(self._begin, start, steps), partial(self._refuse, start))

    def take_back(self) -> None:
        """Ignore the run that was asked for, even if it still begins: something else was asked for since."""
        self._asked = None

    def move(self) -> None:
        """Move the current run to the folder in which runs are kept now."""
        kept = self._at_hand.kept
        assert kept is not None
        self._bridge.ask(MoveRun(runs_dir=self._place.path), partial(self._settle, kept))

    def leave_for(self, run: Path | None) -> None:
        """Another run, or none, is the current one now: forget the one that began, or throw it away."""
        if self._begun is not None and self._begun != run:
            if self._begun.name != self._parent() and not self._opening.replaces(self._begun):
                self._throw_away(throw_away_stepless, self._begun)
            self._begun = None

    def have_back(self) -> None:
        """A later request was refused: if there is no current run, make the one that began meanwhile current."""
        if self._at_hand.run is None:
            self._at_hand.run = self._begun
            self._at_hand.changed.emit()

    def _note(self, asked: Branch, branch: Path) -> None:
        self._begun = branch
        if asked.replaces_branch:
            self._throw_away(throw_away_branch, asked.run)

    def _throw_away(self, throw_away: Callable[[Path], None], run: Path) -> None:
        self._bridge.run_in_background(
            partial(throw_away, run), on_error=lambda _: None
        )  # if there is no trash, the run stays

    def _parent(self) -> str | None:
        """The name of the run that the current one was branched off."""
        folder = self._bridge.history.folder
        return folder.state.parent if folder is not None else None

    def _begin(self, start: Start, steps: int | None, run: Path) -> None:
        self._begun = run
        if start is self._asked:
            self._asked, self._at_hand.run = None, run
            if not self._opening.is_under_way:  # else this run is being left, and the opened one would learn
                self._bridge.ask(Learn(steps=steps))
            self._at_hand.changed.emit()

    def _refuse(self, start: Start, error: Exception) -> None:
        if start is self._asked:
            self._asked = None
            self._bridge.show_refusal(error)
            self.refused.emit()

    def _settle(self, kept: Kept, moved: Path) -> None:
        if self._begun == kept.path:
            self._begun = moved
        kept.path = moved
        if kept is self._at_hand.kept:  # else it was left meanwhile
            self._at_hand.changed.emit()
