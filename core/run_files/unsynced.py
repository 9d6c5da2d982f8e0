"""Files of a run that are whole under their names, but of which a power cut could still take something."""

from __future__ import annotations

from pathlib import Path

from core.run_files.atomic import replace_whole, sync_file, sync_folder


class Unsynced:
    """What a run writes between two checkpoints, many files a second: the checkpoint makes all of them durable at once.

    What a power cut damages is thus newer than the newest checkpoint, and resuming cuts it off; checksums tell of it
    until then. A process that is killed damages nothing.
    """

    def __init__(self) -> None:
        self._paths: dict[Path, None] = {}  # in the order they were written

    def write(self, path: Path, data: bytes) -> None:
        """Write `data` to `path`, whole or not at all."""
        replace_whole(path, data)
        self.note(path)

    def note(self, path: Path) -> None:
        """Something was appended to this file."""
        self._paths[path] = None

    def sync(self) -> None:
        """Return once everything written so far is on disk. What was removed meanwhile is left out."""
        written = [path for path in self._paths if path.exists()]
        for path in written:
            sync_file(path)
        for folder in {path.parent for path in written}:
            sync_folder(folder)
        self._paths.clear()
