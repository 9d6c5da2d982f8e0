"""Turns an OSError of writing into a sentence about the path that the user named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import RunNotWritable, UserError
from core.machine.resource_errors import as_file_limit_error


@contextmanager
def reporting_write_errors(
    path: Path, option: str = "--runs-dir", *, advice: str = "", error_type: type[UserError] = RunNotWritable
) -> Iterator[None]:
    """Turn an OSError in the block into an error about `path`, with the option that names it, or other advice.

    For a RunNotWritable the window offers to keep the run at hand elsewhere: for files that are not that run's, let
    `error_type` be UserError.
    """
    try:
        yield
    except OSError as error:
        what_to_do = advice or f"Choose another folder ({option} in a terminal)."
        raise as_file_limit_error(error) or error_type(
            f"{path} cannot be written: {error.strerror or error}.", what_to_do
        ) from None
