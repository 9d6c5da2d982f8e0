"""Turns any exception into what a person reads: a sentence, what to do, and details to copy."""

from __future__ import annotations

import errno
import traceback
from pathlib import Path

from core.errors import RunNotWritable, UserError
from core.events import Trouble
from core.run_files.runs_dir import is_gone
from core.run_files.write_errors import unwritable_path

_FULL = (errno.ENOSPC, errno.EDQUOT)


def as_trouble(error: BaseException) -> Trouble:
    """A UserError in its own words; any other as a bug of ours, with its traceback."""
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
    """Something a person should know about what is prepared, although nothing failed."""
    return Trouble(sentence=sentence, advice=advice, until_prepared=True, is_note=True)


def folder_gone_message(path: Path) -> tuple[str, str]:
    """The sentence and the advice if a run's folder is gone."""
    return f"The run's folder {path} is gone.", "Put it back (or the drive it is on), then continue learning."


def as_run_not_writable(error: OSError, path: Path) -> RunNotWritable:
    """The error for a run's folder that cannot be written, mostly for a full disk, or that is gone."""
    if is_gone(path):
        return RunNotWritable(*folder_gone_message(path))
    where = unwritable_path(error, path)
    return RunNotWritable(f"The run cannot be written to {where}: {error.strerror or error}.", _what_helps(error))


def _what_helps(error: OSError) -> str:
    if error.errno == errno.EFBIG:
        return "Keep it on a disk that takes larger files, or continue it where `ulimit -f` allows them."
    first = "Free some space there" if error.errno in _FULL else "Fix that"
    return f"{first}, then continue learning; nothing is lost until Headlight ends."  # as it does in a terminal
