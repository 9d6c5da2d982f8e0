"""The state of a run that is left for another, to restore it if that one turns out to be damaged."""

from __future__ import annotations

from dataclasses import dataclass

from core.comparison.differences import changes_between
from core.config import RunConfig
from core.history import History
from gui.bench.draft_and_run import DraftAndRun


@dataclass(frozen=True)
class PreviousRun:
    """What the window showed of the run; `config` has all the changes made to it."""

    draft: RunConfig | None
    applied: RunConfig | None
    draft_origin: RunConfig | None
    config: RunConfig
    last_step: int
    changed: frozenset[str]  # keys changed since it was saved, which a run opened from disk lacks

    @classmethod
    def of(cls, current: DraftAndRun, history: History) -> PreviousRun:
        """The state of the current run, whose history this is."""
        assert history.prepared is not None
        saved = max(history.checkpoint_steps, default=0)
        changed = frozenset(one.key for one in history.settings_changed if one.step >= saved)
        return cls(
            current.draft, current.applied, current.draft_origin, history.prepared.config, history.last_step, changed
        )

    def lost_changes(self, config: RunConfig) -> dict[str, object]:
        """The changes made since it was saved, by key, that the run, opened again with `config`, lacks."""
        changes = changes_between(config, self.config)
        return {key: value for key, value in changes.items() if self._was_changed(key)}

    def restore(self, current: DraftAndRun, config: RunConfig) -> None:
        """Show the reopened run with its former settings; changes that waited go on waiting."""
        current.draft, current.draft_origin = self.draft, self.draft_origin
        if all(map(self._was_changed, changes_between(config, self.config))):  # else another process changed it
            current.applied = self.applied
        current.changed.emit()

    def _was_changed(self, key: str) -> bool:
        return key in self.changed or key.rpartition(".")[0] in self.changed  # its group was switched on
