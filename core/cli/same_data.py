"""What is said of runs that should differ in their seed alone, and were made of other data."""

from __future__ import annotations

from collections.abc import Sequence

from core.comparison.read_run import ReadRun
from core.comparison.seeds import places_of_other_data
from core.errors import UserError
from core.events import Prepared


def of_other_data(runs: Sequence[ReadRun]) -> str | None:
    """Which two of them have other data, as the beginning of a sentence; None where none have."""
    if (places := places_of_other_data(runs)) is None:
        return None
    first, other = (runs[place].folder.path.name for place in places)
    return f"{first} and {other} were trained with the same settings on different data, for the corpus was changed"


class SameData:
    """The data of the first run of `train --seeds`, which all others must have: with others there would be no mean."""

    def __init__(self) -> None:
        self._first: Prepared | None = None

    def require(self, prepared: Prepared) -> None:
        """Raises UserError where these are others."""
        first = self._first = self._first or prepared
        if prepared.fingerprint == first.fingerprint:
            return
        raise UserError(
            f"The dataset {prepared.config.dataset.plugin!r} gives other pairs now than to seed {first.config.seed}: "
            f"trained with these, seed {prepared.config.seed} would have no common mean with what was trained before, "
            "which is saved.",
            "Undo what was changed in its files or code.",
        )
