"""Hidden folders among the runs, in which runs are unpacked or deleted, so that no half of a run is ever listed."""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

_UNPACKING, _DELETING = ".receiving-", ".deleting-"  # prefixes of their names
_ABANDONED_SECONDS = 86_400.0  # the age from which the process that made the folder must have been killed


def unpacking_folder(runs_dir: Path) -> TemporaryDirectory[str]:
    """A temporary folder to use in a `with` block, at whose end it is removed with its content."""
    return _hidden_folder(_UNPACKING, runs_dir)


def delete_run(run: Path) -> None:
    """Move a run's folder out of sight, then remove it. If moving it fails, the run stays as it is.

    Raises OSError. It names a file that cannot be removed, which stays in the hidden folder.
    """
    with _hidden_folder(_DELETING, run.parent) as folder:
        run.rename(Path(folder) / run.name)


def _hidden_folder(kind: str, runs_dir: Path) -> TemporaryDirectory[str]:
    _remove_abandoned(runs_dir)
    return TemporaryDirectory(prefix=kind, dir=runs_dir)


def _remove_abandoned(runs_dir: Path) -> None:
    for kind in (_UNPACKING, _DELETING):
        for folder in runs_dir.glob(f"{kind}*"):
            with suppress(OSError):  # its process may be removing it at this moment
                if time.time() - folder.stat().st_mtime > _ABANDONED_SECONDS:
                    shutil.rmtree(folder, ignore_errors=True)
