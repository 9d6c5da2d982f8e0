"""Hidden folders among the runs, in which one is unpacked or deleted: none is listed when half of it is there."""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

_UNPACKING, _DELETING = ".receiving-", ".deleting-"  # what they are called
_FORGOTTEN_S = 86_400.0  # of such a folder: whoever made it was killed


def room_to_unpack(runs_dir: Path) -> TemporaryDirectory[str]:
    """A folder that is there within a `with`; what it holds at the end is removed."""
    return _room(_UNPACKING, runs_dir)


def delete_run(run: Path) -> None:
    """Remove the folder of a run, whose name goes first. Where that is refused the run stays as it is.

    What cannot be removed then stays in the room: OSError names it.
    """
    with _room(_DELETING, run.parent) as room:
        run.rename(Path(room) / run.name)


def _room(kind: str, runs_dir: Path) -> TemporaryDirectory[str]:
    _clear_away_forgotten(runs_dir)
    return TemporaryDirectory(prefix=kind, dir=runs_dir)


def _clear_away_forgotten(runs_dir: Path) -> None:
    for kind in (_UNPACKING, _DELETING):
        for room in runs_dir.glob(f"{kind}*"):
            with suppress(OSError):  # whoever made it takes it away just now
                if time.time() - room.stat().st_mtime > _FORGOTTEN_S:
                    shutil.rmtree(room, ignore_errors=True)
