"""A run as comparisons read it: its folder, its settings, and its metrics other than those of steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from core.comparison.target_tokens import TargetTokens, target_tokens
from core.config import RunConfig
from core.errors import UserError
from core.events import SettingChanged
from core.run_folder import RunFolder
from core.validation_size import ValidationSize


@dataclass(frozen=True, eq=False)
class RunResults:
    """`validations` are the metrics of each validated step, `changed` the settings changed during the run, in order.

    `validated` says what the validations are of, `target_tokens` the unit that losses count by, and `data` is the
    fingerprint of the training data; each is None if the run's vocabulary does not say.
    """

    folder: RunFolder
    config: RunConfig
    validations: Mapping[int, dict[str, float]]
    changed: Sequence[SettingChanged]
    validated: ValidationSize | None
    target_tokens: TargetTokens | None
    data: str | None

    @classmethod
    def read(cls, folder: RunFolder) -> Self:
        """Read these records, but not those of the steps. Raises DamagedFile if one of them is damaged."""
        metrics, changed = folder.validation_metrics(), folder.settings_changed()
        return cls(folder, folder.config(), metrics, changed, *read_units(folder))


def read_units(folder: RunFolder) -> tuple[ValidationSize | None, TargetTokens | None, str | None]:
    """What a run's validations are of, the unit its losses count by, and the fingerprint of its data.

    All None if its vocabulary does not say, which no figure needs.
    """
    try:
        vocabulary = folder.vocabulary()
        validated = ValidationSize(vocabulary["num_pairs"]["valid"])
        return validated, target_tokens(folder, vocabulary), vocabulary["fingerprint"]
    except (UserError, KeyError, TypeError):
        return None, None, None
