"""As on a disk that is full: no file of this process grows beyond a size."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_file_beyond(num_bytes: int) -> Iterator[None]:
    """Writing more to one is refused meanwhile."""
    import resource  # of POSIX

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (num_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
