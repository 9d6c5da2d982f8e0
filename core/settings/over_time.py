"""The settings of a run at any of its steps: those it began with, and what was changed while it went on."""

from __future__ import annotations

import math
from collections.abc import Iterable

from core.config import RunConfig
from core.events import SettingChanged
from core.settings.overriding import change_setting


def config_at(initial: RunConfig, changes: Iterable[SettingChanged], step: float = math.inf) -> RunConfig:
    """The config with which `step` was taken: with all changes made before it, and at infinity with all there are."""
    config = initial
    for changed in changes:
        if changed.step < step:
            config = change_setting(config, changed.key, changed.value)
    return config
