"""That the system lets a process open no more files: no fault of the place where that is met."""

from __future__ import annotations

import errno

from core.errors import UserError


def no_more_files(error: Exception) -> UserError | None:
    """What to tell where that is what went wrong. The advice is part of the sentence, which may be passed on alone."""
    if not isinstance(error, OSError) or error.errno not in (errno.EMFILE, errno.ENFILE):
        return None
    return UserError(
        "The system lets Headlight open no more files: allow it more (`ulimit -n 1024` in a terminal, and start it "
        "there again), or end other programs."
    )
