"""A run's settings while it runs: those it began with, and every change since."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.config import RunConfig
from core.errors import UserError
from core.settings.fields import setting_effect
from core.settings.overriding import change_setting


class LiveSettings:
    """`config` holds the current settings and `initial` the first; `changes` are (step, key, value), in order."""

    def __init__(self, initial: RunConfig) -> None:
        self.initial = initial
        self.config = initial
        self.changes: list[tuple[int, str, Any]] = []

    def config_with(self, key: str, value: Any) -> RunConfig:
        """The config with one setting changed, not yet applied.

        Raises UserError for an unknown key, an invalid value, and a setting that only a new run can change.
        """
        changed = change_setting(self.config, key, value)  # first, since a new run would not help an unknown key
        if setting_effect(key) != "now":
            raise UserError(f"{key} cannot change during a run.", "Start a new run with it.")
        return changed

    def change(self, step: int, key: str, value: Any) -> None:
        """Apply a change after `step`."""
        self.config = self.config_with(key, value)
        self.changes.append((step, key, value))

    def restore(self, changes: Sequence[tuple[int, str, Any]]) -> None:
        """Go back to the initial settings and apply exactly these changes."""
        self.config, self.changes = self.initial, []
        for step, key, value in changes:
            self.change(step, key, value)
