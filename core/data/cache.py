"""The cache of prepared datasets: folders that appear whole, of which the least recently used are removed."""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from traceback import clear_frames

from core.at_path import exists, is_dir
from core.errors import UserError
from core.machine.resource_errors import as_file_limit_error, as_memory_error
from core.run_files.claiming import is_alive

MAX_FOLDERS = 30
"""How many folders are kept: each change of a dataset's options makes one."""
ABANDONED_SECONDS = 86_400
"""Without a lock to tell, a folder that is still being built after this time belongs to a killed process."""
GRACE_SECONDS = 60
"""A younger folder without a lock may have been made just now, and be locked in a moment."""
_BUILDING = ".building-"
_BUILDING_HERE = f"{_BUILDING}{socket.gethostname()}-"
_CHECKSUMS = "sizes.json"  # checksums by file name; folders of an earlier layout have sizes in it
_CHUNK_BYTES = 2**20  # bytes read at a time


@contextmanager
def building_folder(cache_dir: Path) -> Iterator[Path]:
    """Yield a folder to build in, removed at the end unless published. Raises UserError if it cannot be written."""
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=f"{_BUILDING_HERE}{os.getpid()}-", dir=cache_dir))
        try:
            with _locked(building):
                yield building
        except BaseException as error:
            clear_frames(error.__traceback__)  # they hold mapped files, which Windows does not remove
            raise
        finally:
            shutil.rmtree(building, ignore_errors=True)
    except OSError as error:
        raise as_file_limit_error(error) or as_memory_error(error) or _write_error(cache_dir, error) from error


def _write_error(cache_dir: Path, error: OSError) -> UserError:
    if error.errno == errno.ENODEV:  # only mapping a file raises this
        return UserError(
            f"The dataset cannot be read from {cache_dir}: its file system maps no file into memory.",
            "XDG_CACHE_HOME names another place.",
        )
    advice = "Free some space there, make the folder writable, or name another place by XDG_CACHE_HOME."
    if error.errno == errno.EFBIG:
        advice = "Name a disk that takes larger files by XDG_CACHE_HOME, or start where `ulimit -f` allows them."
    return UserError(f"The dataset cannot be written to {cache_dir}: {error.strerror or error}.", advice)


@contextmanager
def _locked(folder: Path) -> Iterator[bool | None]:
    """Lock a folder, and yield whether that worked: False if another process holds the lock, None without locks.

    The lock is released if the process ends.
    """
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
    """Rename what was built to `folder`, unless that exists and is complete.

    Raises UserError if another user's folder is there, which can be neither read nor replaced.
    """
    checksums = {path.name: _checksum(path) for path in building.iterdir()}
    (building / _CHECKSUMS).write_text(json.dumps(checksums))
    if not is_intact(folder):
        shutil.rmtree(folder, ignore_errors=True)
        try:
            building.rename(folder)
        except OSError:
            if is_intact(folder):  # another process has published the same content
                return
            if exists(folder):
                raise UserError(
                    f"{folder} holds these prepared data, and can be neither read nor replaced.",
                    "Remove it, as the user who made it, or name another place by XDG_CACHE_HOME.",
                ) from None
            raise


def is_intact(folder: Path) -> bool:
    """Whether every published file has its checksum: a power cut or a failing disk may have damaged one.

    Reads all files, which takes 0.4 s of a processor per GB, so call it once per use.
    """
    try:
        checksums = json.loads((folder / _CHECKSUMS).read_text())
        return all(_checksum(folder / name) == checksum for name, checksum in checksums.items())
    except (OSError, ValueError):
        return False


def _checksum(path: Path) -> str:
    """The same crc32 as `core.run_files.documents.checksum`, with one piece of the file in memory at a time."""
    chunk, value = memoryview(bytearray(_CHUNK_BYTES)), 0
    with path.open("rb", buffering=0) as file:
        while length := file.readinto(chunk):
            value = zlib.crc32(chunk[:length], value)
    return f"{value:08x}"


def mark_used_and_evict(cache_dir: Path, used: Path) -> None:
    """Mark a folder as used now; remove the least recently used ones and those that killed processes left unfinished.

    A process that has a removed folder open keeps its mapped files. Nothing else in `cache_dir` is touched. `used` is
    never removed, even if the clock was set back and others seem to have been used later.
    """
    with suppress(OSError):  # a file system without times, or another user's folder
        os.utime(used)
    last_used, published = dict[Path, float](), list[Path]()
    for folder in cache_dir.iterdir():
        # Another process has published or removed it just now, or it is another user's.
        with suppress(FileNotFoundError, PermissionError):
            if is_dir(folder):
                last_used[folder] = folder.stat().st_mtime
                if exists(folder / _CHECKSUMS):
                    published.append(folder)
    published.sort(key=last_used.__getitem__)
    abandoned = [folder for folder, built in last_used.items() if _is_abandoned(folder, time.time() - built)]
    for folder in {*published[:-MAX_FOLDERS], *abandoned} - {used}:
        shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path, age: float) -> bool:
    """Whether no process builds in the folder any more: its lock tells, as the clock may have been set ahead.

    Without a lock to tell, as for a folder of another machine: whether it is old and no process here builds in it.
    """
    if not folder.name.startswith(_BUILDING) or age < GRACE_SECONDS:
        return False
    with suppress(OSError), _locked(folder) as is_free:  # it may be published at this moment
        if is_free is False or (is_free and folder.name.startswith(_BUILDING_HERE)):
            return is_free
    return age > ABANDONED_SECONDS and not _is_being_built(folder)


def _is_being_built(folder: Path) -> bool:
    """Whether the process of this machine with the PID in the folder's name is running."""
    number = folder.name.removeprefix(_BUILDING_HERE).partition("-")[0]
    return number.isdecimal() and is_alive(int(number))
