"""Where prepared datasets are kept: the user's cache, or a temporary folder if that is not writable."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from core.events import Event, Trouble
from core.user_dirs import USER_DIRS


def default_cache_dir() -> Path:
    """The default folder of prepared data."""
    return USER_DIRS.user_cache_path / "prepared"


class CacheFolder:
    """The folder of prepared data, chosen at the first use; `emit` gets a Trouble if it is a temporary one instead."""

    def __init__(self, given: Path | None, emit: Callable[[Event], None]) -> None:
        self._wanted = given or default_cache_dir()
        self._emit = emit
        self._temporary: TemporaryDirectory[str] | None = None

    def path(self) -> Path:
        """A folder that is writable, by its permissions. Raises OSError if not even a temporary one can be made."""
        if self._temporary is None and (why := _unwritable_reason(self._wanted)):
            self._temporary = TemporaryDirectory(prefix="headlight-", ignore_cleanup_errors=True)
            sentence = f"Prepared data cannot be kept in {self._wanted}: {why}."
            advice = (
                f"They are kept in {self._temporary.name} until Headlight ends; XDG_CACHE_HOME names another place."
            )
            self._emit(Trouble(sentence=sentence, advice=advice))
        return self._wanted if self._temporary is None else Path(self._temporary.name)

    def close(self) -> None:
        """Remove the temporary folder, if there is one."""
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None


def _unwritable_reason(folder: Path) -> str:
    """Why the folder is not writable; empty if it is."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            TemporaryFile(dir=folder).close()  # raises why: no permission, or a read-only file system
    except OSError as error:
        return error.strerror or str(error)
    return ""
