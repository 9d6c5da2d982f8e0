"""The run at hand that is left for another, to be had back as it was where that one turns out to be damaged."""

from __future__ import annotations

from dataclasses import dataclass

from core.comparison.differences import differing_settings
from core.config import RunConfig
from core.history import History


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
    def of(
        cls, history: History, draft: RunConfig | None, applied: RunConfig | None, taken: RunConfig | None
    ) -> LeftRun:
        """The run of this history, with the settings as the window shows them."""
        assert history.prepared is not None
        saved = max(history.checkpoint_steps, default=0)
        changed = frozenset(one.key for one in history.settings_changed if one.step >= saved)
        return cls(draft, applied, taken, history.prepared.config, history.last_step, changed)

    def lost(self, config: RunConfig) -> dict[str, object]:
        """Of what was changed since it was saved, by key, that which the run opened again knows nothing of."""
        differing = differing_settings((config, self.config))
        return {key: values[1] for key, values in differing.items() if key in self.changed}

    def is_of(self, config: RunConfig) -> bool:
        """Whether the run opened again is as it was, but for that."""
        return self.changed.issuperset(differing_settings((config, self.config)))
