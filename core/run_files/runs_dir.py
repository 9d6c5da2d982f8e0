"""Where runs are kept, how their folders are named, and how a RUN that the user names is found."""

from __future__ import annotations

import errno
import os
import re
import shlex
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

from core.at_path import exists, is_dir, is_file, real_path
from core.errors import RunNotWritable, UserError
from core.home_paths import expand_home
from core.run_files.archive import SUFFIX
from core.run_files.documents import reporting_read_errors
from core.run_files.file_names import CONFIG, METRICS, STATE
from core.run_files.state import read_state
from core.run_files.write_errors import reporting_write_errors
from core.user_dirs import USER_DIRS

_READABLE_ADVICE = "Make it readable, or choose another folder (--runs-dir in a terminal)."
_DOCUMENTS = (STATE, CONFIG)  # every run has them
_LOST_FOUND = "lost+found"  # in the top folder of a Linux drive
_MAX_NAME_BYTES = 200  # bytes: with the time before and a number after it, a folder's name may have 255


def default_runs_dir(chosen: Path | None = None) -> Path:
    """HEADLIGHT_RUNS_DIR, or else the folder the user chose, or else `runs` in the user's data folder."""
    given = os.environ.get("HEADLIGHT_RUNS_DIR")
    if given:
        return expand_home(given)
    return chosen or USER_DIRS.user_data_path / "runs"


def require_disk_space(folder: Path, num_bytes: int, option: str = "--runs-dir") -> None:
    """Raise RunNotWritable if the disk of `folder`, named by `option` and maybe not made yet, has fewer free bytes.

    Also if its drive does not answer. A place where nothing can be written, such as /proc, which is on no disk, is not
    refused here but when it is used.
    """
    with reporting_write_errors(folder, option):
        existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if _exists(path))
        disk = shutil.disk_usage(existing)
    if disk.free < num_bytes and disk.total and os.access(existing, os.W_OK):
        raise RunNotWritable(
            f"There is no room for this run in {folder}: three checkpoints take {_megabytes(num_bytes)}, "
            f"and {_megabytes(disk.free)} are free.",
            f"Free some space, choose another folder ({option} in a terminal), or make the model smaller.",
        )


def _megabytes(num_bytes: int) -> str:
    return f"{num_bytes / 1e6:,.1f} MB"


def make_run_dir(runs_dir: Path, name: str) -> Path:
    """Make an empty folder such as `2026-11-20_19-03-11_copy_task`, with _2 (and so on) added if that is taken."""
    runs_dir.mkdir(parents=True, exist_ok=True)
    for path in numbered_paths(runs_dir, f"{time.strftime('%Y-%m-%d_%H-%M-%S')}_{safe_folder_name(name)}"):
        with suppress(FileExistsError):
            path.mkdir()
            return path
    raise AssertionError("the names never end")


def undo_run_dir(path: Path, *, was_there: bool) -> None:
    """Remove the folder of a run that could not begin: half a run is none, and the next attempt needs an empty folder.

    One that was there, empty, is emptied: it may be a mount point, a link, or a terminal's working directory.
    """
    if not was_there:
        shutil.rmtree(path, ignore_errors=True)  # it may be gone already
        return
    with suppress(OSError):
        for made in path.iterdir():
            if is_dir(made):
                shutil.rmtree(made, ignore_errors=True)
            else:
                made.unlink()


def require_empty(path: Path) -> None:
    """Raise UserError if `path`, where a run is to begin, is a folder with anything in it."""
    if is_dir(path) and any(path.iterdir()):
        raise not_empty_error(path)


def not_empty_error(path: Path) -> UserError:
    """The error for a folder in which no run can begin, as there is something in it."""
    return UserError(f"{path} is not empty.", "Name a new folder, or continue the run in it with --resume.")


def numbered_paths(runs_dir: Path, name: str) -> Iterator[Path]:
    """The paths for a run of this name, in order of preference, without end: NAME, NAME_2, NAME_3 ..."""
    return (runs_dir / (name if number == 1 else f"{name}_{number}") for number in count(1))


def is_run(path: Path) -> bool:
    """Whether a folder is a run, complete enough to open."""
    try:
        require_run(path)
    except UserError:
        return False
    return True


def require_outside_runs(path: Path) -> None:
    """Raise UserError if a file would be written into a run's folder, which an added or replaced file would damage."""
    if run := next(filter(is_run, real_path(path).parents), None):
        raise UserError(f"{path} lies in the folder of a run, {run}.", "Choose a place outside of it.")


def is_gone(run: Path) -> bool:
    """Whether a run's folder is gone, or only what was written while it was being deleted is left of it."""
    try:
        (run / CONFIG).stat()
    except OSError as error:  # the whole drive may fail, too
        return not isinstance(error, PermissionError)  # it may be there
    return False


def has_remains(path: Path) -> bool:
    """Whether a folder holds the remains of a trained run: its metrics, and one of its two documents."""
    with suppress(OSError):  # it may be forbidden to look inside
        return any(is_file(path / name) for name in _DOCUMENTS) and (path / METRICS).stat().st_size > 0
    return False


def find_run(text: str, runs_dir: Path, *, or_remains: bool = False) -> Path:
    """The run at a path, or with a folder's name in `runs_dir`. Raises UserError if there is none.

    A name is looked for in both places, so that another folder of that name here hides neither a run nor a group.
    `or_remains` also accepts the remains of a run, to delete them.
    """
    if not text.strip():
        raise UserError("A run is needed: a folder's path, or its name in the runs folder.")
    refusals = list[UserError]()
    for path in (expand_home(text), runs_dir / text):
        with reporting_read_errors(path, _READABLE_ADVICE):
            if not _exists(path):
                continue
        try:
            if not (or_remains and has_remains(path)):
                require_run(path)
        except UserError as error:
            if Path(text).name != text:  # a path means what is there
                raise
            refusals.append(error)
        else:
            return path
    if members := runs_in_group(text, runs_dir):
        raise UserError(f"{text} is a group of runs.", f"Name its runs: {shlex.join(path.name for path in members)}")
    raise refusals[0] if refusals else _no_such_run(text, runs_dir)


def _no_such_run(text: str, runs_dir: Path) -> UserError:
    here = "" if runs_dir == default_runs_dir() else f" --runs-dir {shlex.quote(str(runs_dir))}"
    if here and not is_dir(runs_dir):
        sentence = f"{text}: there is no such run, and no folder {runs_dir} that it could lie in."
        return UserError(sentence, "Check --runs-dir.")
    return UserError(
        f"{text}: there is no such run, neither as a path nor in {runs_dir}.",
        f"`runs list{here}` shows what is there.",
    )


def _exists(path: Path) -> bool:
    """Whether the path exists; one that is too long for the system does not."""
    try:
        return exists(path)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return False
        raise


def require_run(path: Path) -> None:
    """Raise UserError if `path` is not a run or not readable, saying what is missing."""
    with reporting_read_errors(path):
        if not is_dir(path):
            what = "it is a file" if exists(path) else "there is no such folder"
            advice = "A run shared as one file is opened by dropping it on the window." if path.suffix == SUFFIX else ""
            raise UserError(f"{path} is not a run: {what}.", advice)
        for name in _DOCUMENTS:
            if not is_file(path / name):
                raise UserError(f"{path} is not a run: it has no {name}.")


def list_runs(runs_dir: Path) -> list[Path]:
    """The runs in a folder, damaged ones included, sorted by name; none if there is no folder."""
    return sorted(path for path in _entries(runs_dir) if is_run(path) or has_remains(path))


def list_closed_folders(runs_dir: Path) -> list[Path]:
    """The folders that may be runs, but cannot be looked into; without hidden ones, our own work, and a drive's own."""
    return [
        path for path in _entries(runs_dir) if path.name[0] != "." and path.name != _LOST_FOUND and _is_closed(path)
    ]


def _entries(runs_dir: Path) -> list[Path]:
    with reporting_read_errors(runs_dir, _READABLE_ADVICE):
        return list(runs_dir.iterdir()) if is_dir(runs_dir) else []


def _is_closed(path: Path) -> bool:
    try:
        exists(path / STATE)
    except OSError:
        return True
    return False


def runs_in_group(group: str, runs_dir: Path) -> list[Path]:
    """The runs that one `train --seeds` began."""
    return [path for path in list_runs(runs_dir) if is_run(path) and _group_of(path) == group]


def _group_of(path: Path) -> str | None:
    with suppress(UserError):  # one damaged run must not hide the others
        return read_state(path / STATE).group
    return None


def safe_folder_name(name: str) -> str:
    """A folder's name made from `name`: legal on every system, and needing no quotes in a shell."""
    plain = re.sub(r"[^\w.-]+", "_", name).strip("._") or "run"
    return plain.encode()[:_MAX_NAME_BYTES].decode(errors="ignore")
