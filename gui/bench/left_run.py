"""The state of a run that is left for another, to restore it if that one turns out to be damaged."""

from __future__ import annotations

from dataclasses import dataclass

from core.comparison.differences import differing_settings
from core.config import RunConfig
from core.history import History
from gui.bench.draft_and_run import DraftAndRun


@dataclass(frozen=True)
class LeftRun:
    """What the window showed of the run; `config` has all the changes made to it."""

    draft: RunConfig | None
    applied: RunConfig | None
    taken: RunConfig | None
    config: RunConfig
    last_step: int
    changed: frozenset[str]  # keys changed since it was saved, which a run opened from disk lacks

    @classmethod
    def of(cls, at_hand: DraftAndRun, history: History) -> LeftRun:
        """The state of the current run, whose history this is."""
        assert history.prepared is not None
        saved = max(history.checkpoint_steps, default=0)
        changed = frozenset(one.key for one in history.settings_changed if one.step >= saved)
        return cls(at_hand.draft, at_hand.applied, at_hand.taken, history.prepared.config, history.last_step, changed)

    def lost(self, config: RunConfig) -> dict[str, object]:
        """The changes made since it was saved, by key, that the run, opened again with `config`, lacks."""
        differing = differing_settings((config, self.config))
        return {key: values[1] for key, values in differing.items() if key in self.changed}

    def put_back(self, at_hand: DraftAndRun, config: RunConfig) -> None:
        """Show the reopened run with its former settings; changes that waited go on waiting."""
        at_hand.draft, at_hand.taken = self.draft, self.taken
        if self.changed.issuperset(differing_settings((config, self.config))):  # else another process changed it
            at_hand.applied = self.applied
        at_hand.changed.emit()
