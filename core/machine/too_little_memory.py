"""What to tell where the system gives Headlight no more memory: no fault of anybody's, and something can be done."""

from __future__ import annotations

import errno

from core.errors import UserError

_NOT_MAPPED = "failed to map segment from shared object"  # how the linker says so, of torch and of numpy
ADVICE = "End other programs, or allow this one more: `ulimit -v unlimited` in a terminal, and start it there again."


def too_little_memory(error: Exception) -> UserError | None:
    """What to tell where that is what went wrong; each thread takes some for its stack."""
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        return UserError("There is not enough memory for another thread.", ADVICE)
    if isinstance(error, ImportError | OSError) and _NOT_MAPPED in str(error):
        return UserError("There is not enough memory to load a library.", ADVICE)
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return UserError("There is not enough memory for this.", ADVICE)
    return None
