"""Writes files and folders atomically: whole or not at all, at whatever instant the process or the machine dies."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from core.at_path import exists, is_file

TEMPORARY_SUFFIX = ".tmp"
OLD_SUFFIX = ".old"
_RETRY_SECONDS = 1.0 if os.name == "nt" else 0.0


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file of a run so that readers, also after a crash, see either the old or the new content.

    For a file in a user's folder, which may hold any other files, use `atomic_file`.
    """
    with _replaced_on_exit(_temporary_name(path), path) as file:
        file.write(data)
    sync_folder(path.parent)


def write_atomically_unsynced(path: Path, data: bytes) -> None:
    """Like `write_atomically` in a tenth of the time, but a power cut may damage the new file until it is synced."""
    with _replaced_on_exit(_temporary_name(path), path, is_durable=False) as file:
        file.write(data)


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a file to fill; on exit it is renamed to `path`, or removed if the block failed.

    Its temporary name is unique, even if another process writes to `path` at the same time. Raises PermissionError for
    a write-protected file.
    """
    require_unprotected(path)
    # Made by `open`, not by tempfile, whose files no other user may read.
    with _replaced_on_exit(path.with_name(f".writing-{token_hex(8)}{TEMPORARY_SUFFIX}"), path) as file:
        yield file


def require_unprotected(path: Path) -> None:
    """Raise PermissionError for a write-protected file, which a folder that may be written would let us replace."""
    if is_file(path):
        path.open("ab").close()


@contextmanager
def _replaced_on_exit(temporary: Path, path: Path, *, is_durable: bool = True) -> Iterator[BinaryIO]:
    try:
        with open(temporary, "wb", opener=partial(os.open, mode=_permissions(path))) as file:
            yield file
            file.flush()
            if is_durable:
                os.fsync(file.fileno())
        retry_while_open(partial(temporary.replace, path))
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _permissions(path: Path) -> int:
    """What may be allowed to whom, less the umask: no more than for the file to be replaced, which may be private."""
    return path.stat().st_mode & 0o777 if exists(path) else 0o666


def _temporary_name(path: Path) -> Path:
    """The name of a run's file or folder until it is whole; `recovering` finds what a crash left by this name."""
    return path.with_name(f"{path.name}{TEMPORARY_SUFFIX}")


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a folder to fill; on exit it is renamed to `path`, or removed if the block failed."""
    temporary = _temporary_name(path)
    shutil.rmtree(temporary, ignore_errors=True)  # left by a crash
    temporary.mkdir()
    try:
        yield temporary
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    _replace_folder(temporary, path)
    sync_folder(path.parent)


def _replace_folder(new: Path, path: Path) -> None:
    # A folder cannot replace a non-empty one in one move: between the two renames only `.old` exists, see `recovering`.
    old = old_name(path)
    if exists(path):
        shutil.rmtree(old, ignore_errors=True)
        retry_while_open(partial(path.replace, old))
    retry_while_open(partial(new.replace, path))
    shutil.rmtree(old, ignore_errors=True)


def old_name(path: Path) -> Path:
    """The name of the folder `path` while a newer one takes its place."""
    return path.with_name(f"{path.name}{OLD_SUFFIX}")


def remove_folder(path: Path) -> None:
    """Remove a folder: it is renamed first, so that a crash leaves a temporary folder and never half of `path`."""
    temporary = _temporary_name(path)
    shutil.rmtree(temporary, ignore_errors=True)  # left by a crash
    retry_while_open(partial(path.replace, temporary))
    retry_while_open(partial(shutil.rmtree, temporary))


def retry_while_open(action: Callable[[], object]) -> None:
    """Rename or remove a file that may be open elsewhere: Windows refuses until it is closed, so try for a second."""
    deadline = time.monotonic() + _RETRY_SECONDS
    while True:
        try:
            action()
            return
        except PermissionError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.01)


def sync_file(path: Path) -> None:
    """Make the bytes of a file durable."""
    with path.open("r+b") as file:  # Windows syncs only files opened for writing
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Make the names in the folder `path` durable, if possible: Windows cannot open a folder, and some file systems,
    such as shared folders of virtual machines, cannot sync one.
    """
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)
