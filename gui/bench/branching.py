"""Branches off a run, with the changes that were made to it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from core.events import Prepared
from core.requests import Branch, Learn
from gui.bench.draft_and_run import DraftAndRun
from gui.bench.opening import Opening
from gui.bridge import EngineBridge, OnDone
from gui.runs.place import RunsPlace


class Branching:
    """Opens a branch in addition to a run, or in its place."""

    def __init__(self, bridge: EngineBridge, at_hand: DraftAndRun, opening: Opening, place: RunsPlace) -> None:
        self._bridge = bridge
        self._at_hand = at_hand
        self._opening = opening
        self._place = place

    def branch(self, run: Path, step: int, on_there: OnDone[Prepared]) -> None:
        """Begin a new run with the weights that `run` kept at `step`; the old one is kept."""
        self._opening.ask(self._branch_of(run, step), on_there)

    def take_along(self, steps: int | None) -> None:
        """Replace the current branch, which has taken no step, by one with the waiting changes, and learn in it."""
        run, step = self._at_hand.run, self._at_hand.begins_at
        assert run is not None and step is not None
        if not self._opening.is_under_way:  # else it was already asked for
            self._opening.ask(self._branch_of(run, step, replaces_branch=True), partial(self._go_on, steps))

    def _branch_of(self, run: Path, step: int, *, replaces_branch: bool = False) -> Branch:
        changes = tuple(self._at_hand.changes_to_take.items()) if run == self._at_hand.run else ()
        place = self._place.path
        return Branch(run=run, step=step, runs_dir=place, changes=changes, replaces_branch=replaces_branch)

    def _go_on(self, steps: int | None, prepared: Prepared) -> None:
        if self._at_hand.run == prepared.run:  # nothing else was prepared meanwhile
            self._bridge.ask(Learn(steps=steps))
