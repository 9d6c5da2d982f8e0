"""Branches off a run, with the changes that were made to it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from core.events import Prepared
from core.requests import Branch, Learn
from gui.bench.draft_and_run import DraftAndRun
from gui.bench.opening import Opening
from gui.bridge import EngineBridge, OnDone
from gui.runs.runs_directory import RunsDirectory


class Branching:
    """Opens a branch in addition to a run, or in its place."""

    def __init__(
        self, bridge: EngineBridge, current: DraftAndRun, opening: Opening, runs_directory: RunsDirectory
    ) -> None:
        self._bridge = bridge
        self._current = current
        self._opening = opening
        self._runs_directory = runs_directory

    def branch(self, run: Path, step: int, on_opened: OnDone[Prepared]) -> None:
        """Begin a new run with the weights that `run` kept at `step`; the old one is kept."""
        self._opening.ask(self._branch_request(run, step), on_opened)

    def replace_branch(self, steps: int | None) -> None:
        """Replace the current branch, which has taken no step, by one with the waiting changes, and learn in it."""
        run, step = self._current.run, self._current.new_branch_step
        assert run is not None and step is not None
        if not self._opening.is_pending:  # else it was already asked for
            self._opening.ask(self._branch_request(run, step, replaces_branch=True), partial(self._learn, steps))

    def _branch_request(self, run: Path, step: int, *, replaces_branch: bool = False) -> Branch:
        changes = tuple(self._current.branch_changes.items()) if run == self._current.run else ()
        runs_dir = self._runs_directory.path
        return Branch(run=run, step=step, runs_dir=runs_dir, changes=changes, replaces_branch=replaces_branch)

    def _learn(self, steps: int | None, prepared: Prepared) -> None:
        if self._current.run == prepared.run:  # nothing else was prepared meanwhile
            self._bridge.ask(Learn(steps=steps))
