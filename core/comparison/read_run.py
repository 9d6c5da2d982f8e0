"""A run as it is compared: its folder, its settings, and what its metrics tell besides the steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from core.config import RunConfig
from core.events import SettingChanged
from core.run_folder import RunFolder


@dataclass(frozen=True, eq=False)
class ReadRun:
    """`validations` are the metrics of each validated step, `changed` the settings changed during the run, in order."""

    folder: RunFolder
    config: RunConfig
    validations: Mapping[int, dict[str, float]]
    changed: Sequence[SettingChanged]

    @classmethod
    def read(cls, folder: RunFolder) -> Self:
        """Read these lines, and none of the steps'. Raises DamagedFile where one of them is damaged."""
        return cls(folder, folder.config(), folder.validation_metrics(), folder.settings_changed())
