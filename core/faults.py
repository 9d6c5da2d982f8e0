"""Any exception as what a person reads: a sentence, what to do, and details to copy."""

from __future__ import annotations

import errno
import os
import traceback
from pathlib import Path

from core.errors import NotWritten, UserError
from core.events import Trouble

_FULL = (errno.ENOSPC, errno.EDQUOT)


def as_trouble(error: BaseException) -> Trouble:
    """A user's own error in its words, any other as a fault of ours with its traceback."""
    if isinstance(error, UserError):
        return Trouble(
            sentence=error.sentence, advice=error.advice, offer=error.offer, until_prepared=error.until_prepared
        )
    return Trouble(
        sentence=f"Something went wrong in Headlight itself ({type(error).__name__}: {error}).",
        advice="What was saved is safe. Copy the details and report them.",
        details="".join(traceback.format_exception(error)),
    )


def note(sentence: str, advice: str = "") -> Trouble:
    """What a person should know of what is prepared, though nothing failed."""
    return Trouble(sentence=sentence, advice=advice, until_prepared=True, is_note=True)


def not_written(error: OSError, path: Path) -> NotWritten:
    """The sentence for a place that cannot be written, a full disk mostly, or that is there no longer."""
    if not os.path.exists(path):  # noqa: PTH110 (pathlib raises where the drive fails as a whole)
        return NotWritten(
            f"The run's folder {path} is gone.", "Bring it back (or the drive it is on), then go on learning."
        )
    what_helps = "Free some space there" if error.errno in _FULL else "Mend that"
    return NotWritten(
        f"The run cannot be written to {path}: {error.strerror or error}.",
        f"{what_helps}, then go on learning; nothing is lost.",
    )
