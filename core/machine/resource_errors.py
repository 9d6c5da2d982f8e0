"""Errors to report when the system gives Headlight no memory, threads, processes, files or room for temporary ones."""

from __future__ import annotations

import errno

from core.errors import UserError

_NO_TEMPORARY_FOLDER = "No usable temporary directory found in "  # tempfile's words, before a list of folders
TORCH_ALLOCATOR = "DefaultCPUAllocator"  # in torch's words, where the CPU has no memory
_LIBRARY_NOT_MAPPED = "failed to map segment from shared object"  # the linker's words, for torch and numpy
ADVICE = "Close other programs, or allow this one more: `ulimit -v unlimited` in a terminal, and start it there again."
OUT_OF_MEMORY_SENTENCE = "There is not enough memory for this."
THREAD_LIMIT_MESSAGE = (  # the system does not say which it is
    "The system lets Headlight start no other thread or process: too many of them run, or there is too little memory.",
    ADVICE.replace("`ulimit", "`ulimit -u unlimited` and `ulimit"),
)


def as_shortage_error(error: Exception) -> UserError | None:
    """The error to report if the system gives no memory, threads, processes, files or folder for temporary ones.

    None for any other error.
    """
    return as_memory_error(error) or as_file_limit_error(error) or as_temporary_folder_error(error)


def as_memory_error(error: Exception) -> UserError | None:
    """The error to report if memory ran out, of which each thread needs some for its stack; None for any other."""
    is_of_thread = isinstance(error, RuntimeError) and str(error) == "can't start new thread"
    if is_of_thread or (isinstance(error, OSError) and error.errno == errno.EAGAIN):
        return UserError(*THREAD_LIMIT_MESSAGE)
    if isinstance(error, ImportError | OSError) and _LIBRARY_NOT_MAPPED in str(error):
        return UserError("There is not enough memory to load a library.", ADVICE)
    is_of_torch = isinstance(error, RuntimeError) and TORCH_ALLOCATOR in str(error)
    if is_of_torch or isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return UserError(OUT_OF_MEMORY_SENTENCE, ADVICE)
    return None


def as_file_limit_error(error: Exception) -> UserError | None:
    """The error to report if there are no more files; its sentence includes the advice, as it may be shown alone."""
    if not isinstance(error, OSError) or error.errno not in (errno.EMFILE, errno.ENFILE):
        return None
    return UserError(
        "The system lets Headlight open no more files: allow it more (`ulimit -n 1024` in a terminal, and start it "
        "there again), or close other programs."
    )


def as_temporary_folder_error(error: Exception) -> UserError | None:
    """The error to report if tempfile finds no folder; sacrebleu needs one, too, only to be imported."""
    why = str(error.strerror) if isinstance(error, FileNotFoundError) else ""
    if not why.startswith(_NO_TEMPORARY_FOLDER):
        return None
    tried = why.removeprefix(_NO_TEMPORARY_FOLDER).strip("[]")
    return UserError(
        f"There is no folder for temporary files: none of {tried} can be written.",
        "Free some space there, or set TMPDIR to a folder that can be written, and start Headlight again.",
    )
