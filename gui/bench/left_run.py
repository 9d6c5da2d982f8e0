"""The run at hand that is left for another, to be had back as it was where that one turns out to be damaged."""

from __future__ import annotations

from dataclasses import dataclass

from core.comparison.differences import differing_settings
from core.config import RunConfig
from core.history import History
from gui.bench.at_hand import AtHand


@dataclass(frozen=True)
class LeftRun:
    """What the window showed of it; `config` is its own, with all that was changed."""

    draft: RunConfig | None
    applied: RunConfig | None
    taken: RunConfig | None
    config: RunConfig
    last_step: int
    changed: frozenset[str]  # keys of what was changed since it was saved: of an opened run, not written down yet

    @classmethod
    def of(cls, at_hand: AtHand, history: History) -> LeftRun:
        """The run at hand, of which this is the history."""
        assert history.prepared is not None
        saved = max(history.checkpoint_steps, default=0)
        changed = frozenset(one.key for one in history.settings_changed if one.step >= saved)
        return cls(at_hand.draft, at_hand.applied, at_hand.taken, history.prepared.config, history.last_step, changed)

    def lost(self, config: RunConfig) -> dict[str, object]:
        """Of what was changed since it was saved, by key, that which the run opened again knows nothing of."""
        differing = differing_settings((config, self.config))
        return {key: values[1] for key, values in differing.items() if key in self.changed}

    def put_back(self, at_hand: AtHand, config: RunConfig) -> None:
        """Show the run, opened again, with the settings as they were; what waited goes on waiting."""
        at_hand.draft, at_hand.taken = self.draft, self.taken
        if self.changed.issuperset(differing_settings((config, self.config))):  # else it was changed elsewhere
            at_hand.applied = self.applied
        at_hand.changed.emit()
