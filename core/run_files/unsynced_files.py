"""Keeps track of files that are written but not yet synced, so that a power cut could still damage them."""

from __future__ import annotations

from pathlib import Path

from core.at_path import exists
from core.run_files.atomic import sync_file, sync_folder, write_atomically_unsynced


class UnsyncedFiles:
    """The files that a run writes between two checkpoints, many a second; each checkpoint syncs them all at once.

    So a power cut damages only what is newer than the newest checkpoint. Resuming cuts that off, and until then
    checksums reveal the damage. A killed process damages nothing.
    """

    def __init__(self) -> None:
        self._paths: dict[Path, None] = {}  # in the order they were written

    def write(self, path: Path, data: bytes) -> None:
        """Write `data` to `path`, whole or not at all."""
        write_atomically_unsynced(path, data)
        self.add(path)

    def add(self, path: Path) -> None:
        """Note that this file was appended to."""
        self._paths[path] = None

    def sync(self) -> None:
        """Return once everything written so far is on disk. Files that have been removed are skipped."""
        written = [path for path in self._paths if exists(path)]
        for path in written:
            sync_file(path)
        for folder in {path.parent for path in written}:
            sync_folder(folder)
        self._paths.clear()
