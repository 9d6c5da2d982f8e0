"""What the disk refuses, as a sentence about the place that was named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import NotWritten, UserError
from core.machine.resource_errors import no_more_files


@contextmanager
def refusing_to_write(
    path: Path, option: str = "--runs-dir", *, advice: str = "", refusal: type[UserError] = NotWritten
) -> Iterator[None]:
    """Turn what the disk refuses within the block into a sentence about this path, and the option that names it.

    Or other advice, where it has none. For a NotWritten the window offers to keep the run at hand elsewhere: of what is
    not that run's, be it a UserError.
    """
    try:
        yield
    except OSError as error:
        another = advice or f"Choose another folder ({option} in a terminal)."
        raise no_more_files(error) or refusal(
            f"{path} cannot be written: {error.strerror or error}.", another
        ) from None
