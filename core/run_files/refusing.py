"""What the disk refuses, as a sentence about the place that was named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import NotWritten, UserError
from core.machine.lacking import no_more_files


@contextmanager
def refusing_to_write(
    path: Path, option: str = "--runs-dir", *, refusal: type[UserError] = NotWritten
) -> Iterator[None]:
    """Turn what the disk refuses within the block into a sentence about this path, and the option that names it.

    For a NotWritten the window offers to keep the run at hand elsewhere: of what is not that run's, be it a UserError.
    """
    try:
        yield
    except OSError as error:
        raise no_more_files(error) or refusal(
            f"{path} cannot be written: {error.strerror or error}.", f"Choose another folder ({option} in a terminal)."
        ) from None
