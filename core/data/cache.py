"""The cache of prepared datasets: folders that appear whole, and go when others have been used more lately."""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from traceback import clear_frames

from core.errors import UserError
from core.machine.resource_errors import no_more_files, too_little_memory
from core.run_files.claiming import is_alive

NUM_KEPT = 30
"""Folders kept: each edit of a dataset's options makes one."""
ABANDONED_SECONDS = 86_400
"""A folder still being built after this time belongs to a process that was killed, where no lock tells."""
YOUNG_SECONDS = 60
"""A folder that nobody holds may have been made just now, to be held at once."""
_BUILDING = ".building-"
_BUILDING_HERE = f"{_BUILDING}{socket.gethostname()}-"
_SIZES = "sizes.json"


@contextmanager
def building_folder(cache_dir: Path) -> Iterator[Path]:
    """A folder to build in, gone afterwards unless it was published. Raises UserError where it cannot be written."""
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=f"{_BUILDING_HERE}{os.getpid()}-", dir=cache_dir))
        try:
            with _held(building):
                yield building
        except BaseException as error:
            clear_frames(error.__traceback__)  # which hold what was mapped: Windows removes no file that is
            raise
        finally:
            shutil.rmtree(building, ignore_errors=True)
    except OSError as error:
        raise no_more_files(error) or too_little_memory(error) or _refusal(cache_dir, error) from error


def _refusal(cache_dir: Path, error: OSError) -> UserError:
    if error.errno == errno.ENODEV:  # of mapping a file alone
        return UserError(
            f"The dataset cannot be read from {cache_dir}: its file system maps no file into memory.",
            "XDG_CACHE_HOME names another place.",
        )
    return UserError(
        f"The dataset cannot be written to {cache_dir}: {error.strerror or error}.",
        "Free some space there, or make the folder writable.",
    )


@contextmanager
def _held(folder: Path) -> Iterator[bool | None]:
    """Locked, and whether it is: False where another holds it, None without locks. A process that ends lets go."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield None
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        except OSError:  # a file system without locks
            yield None
        else:
            yield True
    finally:
        os.close(descriptor)


def publish(building: Path, folder: Path) -> None:
    """Let what was built appear as `folder`, whole or not at all; what is there whole stays."""
    sizes = {path.name: path.stat().st_size for path in building.iterdir()}
    (building / _SIZES).write_text(json.dumps(sizes))
    if not is_whole(folder):
        shutil.rmtree(folder, ignore_errors=True)
        try:
            building.rename(folder)
        except OSError:
            if not is_whole(folder):  # else another process was faster with the same content
                raise


def is_whole(folder: Path) -> bool:
    """Whether everything published is there in full: a power cut may have cut off what was not on disk yet."""
    try:
        sizes = json.loads((folder / _SIZES).read_text())
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError):
        return False


def tidy(cache_dir: Path, used: Path) -> None:
    """Mark a folder as used now; remove those unused longest and what killed processes left half-built.

    Whoever has one open keeps what is mapped. Nothing else in `cache_dir` is touched. By a clock that was set back
    others may have been used later than now: the one in use stays.
    """
    with suppress(OSError):  # a file system that keeps no times, or somebody else's folder
        os.utime(used)
    last_used: dict[Path, float] = {}
    for folder in cache_dir.iterdir():
        with suppress(FileNotFoundError):  # another process has published or removed it just now
            if folder.is_dir():
                last_used[folder] = folder.stat().st_mtime
    published = [folder for folder in sorted(last_used, key=last_used.__getitem__) if (folder / _SIZES).exists()]
    abandoned = [folder for folder, built in last_used.items() if _is_abandoned(folder, time.time() - built)]
    for folder in {*published[:-NUM_KEPT], *abandoned} - {used}:
        shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path, age: float) -> bool:
    """Whether nobody builds in it any more: its lock tells, whatever the clock says, which may have been set ahead.

    Where there is none to tell, as of another machine, it is old and no process of this machine is at it.
    """
    if not folder.name.startswith(_BUILDING) or age < YOUNG_SECONDS:
        return False
    with suppress(OSError), _held(folder) as is_free:  # who builds in it may publish it just now
        if is_free is False or (is_free and folder.name.startswith(_BUILDING_HERE)):
            return is_free
    return age > ABANDONED_SECONDS and not _is_at_it(folder)


def _is_at_it(folder: Path) -> bool:
    """Whether a process of this machine that has the number in its name lives."""
    number = folder.name.removeprefix(_BUILDING_HERE).partition("-")[0]
    return number.isdecimal() and is_alive(int(number))
