"""What a run that grows has kept: nothing before it has a folder, and perhaps a file that is damaged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from core.errors import UserError
from core.run_files.documents import DamagedFile
from core.run_folder import RunFolder

ValueT = TypeVar("ValueT")


def require_folder(folder: RunFolder | None) -> RunFolder:
    """The run's folder. Raises UserError while it has none."""
    if folder is None:
        raise UserError("Nothing of this run is kept: it has no folder yet.")
    return folder


def newest_undamaged(steps: Sequence[int], read: Callable[[int], ValueT | None]) -> ValueT | None:
    """What `read` gives for the newest of these ascending steps that is not damaged; None if there is none.

    A damaged one is reported where it is drawn.
    """
    for step in steps[::-1]:
        with suppress(DamagedFile):
            return read(step)
    return None
