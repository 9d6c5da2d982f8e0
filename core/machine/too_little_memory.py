"""What to tell where the system gives Headlight no more memory: no fault of anybody's, and something can be done."""

from __future__ import annotations

import errno

from core.errors import UserError

NOT_MAPPED = "failed to map segment from shared object"  # how the linker says so, of torch and of numpy
ADVICE = "End other programs, or allow this one more: `ulimit -v unlimited` in a terminal, and start it there again."


def too_little_memory(error: Exception) -> UserError | None:
    """What to tell where that is what went wrong; each thread takes some for its stack."""
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        return UserError("There is not enough memory for another thread.", ADVICE)
    is_full = isinstance(error, OSError) and error.errno == errno.ENOMEM
    is_unmapped = isinstance(error, ImportError | OSError) and NOT_MAPPED in str(error)
    if is_full or is_unmapped or isinstance(error, MemoryError):
        return UserError("There is not enough memory for this.", ADVICE)
    return None
