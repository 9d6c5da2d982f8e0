"""Files and folders that are whole or not there at all, whatever instant the process or the machine dies."""

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

TEMPORARY = ".tmp"
OLD = ".old"
_PATIENCE_SECONDS = 1.0 if os.name == "nt" else 0.0


def write_whole(path: Path, data: bytes) -> None:
    """Write a file of ours so that a reader, or whoever comes after a crash, sees the old one or the new one.

    A file in a person's folder, which may hold anything beside it, is a `whole_file`.
    """
    with _filled(_known_name(path), path) as file:
        file.write(data)
    sync_folder(path.parent)


def replace_whole(path: Path, data: bytes) -> None:
    """The same at a tenth of the time, but that a power cut may damage the new file until it is synced."""
    with _filled(_known_name(path), path, is_durable=False) as file:
        file.write(data)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Fill the file this yields; it takes the name `path` at the end, or is gone if filling it failed.

    Until then it has a name that neither another file in this folder has, nor another process that writes to `path`.
    """
    # Made by `open`, not by tempfile, whose files nobody else may read.
    with _filled(path.with_name(f".writing-{token_hex(8)}{TEMPORARY}"), path) as file:
        yield file


@contextmanager
def _filled(temporary: Path, path: Path, *, is_durable: bool = True) -> Iterator[BinaryIO]:
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            if is_durable:
                os.fsync(file.fileno())
        patiently(partial(temporary.replace, path))
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _known_name(path: Path) -> Path:
    """What a file or folder in a run is called until it is whole: `recovering` knows what a crash left by it."""
    return path.with_name(f"{path.name}{TEMPORARY}")


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Fill the folder this yields; it takes the name `path` at the end, or is gone if filling it failed."""
    temporary = _known_name(path)
    shutil.rmtree(temporary, ignore_errors=True)  # left by a crash
    temporary.mkdir()
    try:
        yield temporary
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    _take_the_place_of(temporary, path)
    sync_folder(path.parent)


def _take_the_place_of(new: Path, path: Path) -> None:
    # A folder cannot replace a full one in one move, so between the two renames only `.old` is there: see `recovering`.
    old = old_name(path)
    if path.exists():
        shutil.rmtree(old, ignore_errors=True)
        patiently(partial(path.replace, old))
    patiently(partial(new.replace, path))
    shutil.rmtree(old, ignore_errors=True)


def old_name(path: Path) -> Path:
    """Where the folder `path` waits while a newer one takes its name."""
    return path.with_name(f"{path.name}{OLD}")


def remove_folder(path: Path) -> None:
    """Remove a folder that is published by its name: a crash on the way leaves a temporary one, not half of this."""
    temporary = _known_name(path)
    shutil.rmtree(temporary, ignore_errors=True)  # left by a crash
    patiently(partial(path.replace, temporary))
    patiently(partial(shutil.rmtree, temporary))


def patiently(act: Callable[[], object]) -> None:
    """Rename or remove what somebody may be reading: Windows refuses that until they are done, in a moment."""
    give_up_at = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            act()
            return
        except PermissionError:
            if time.monotonic() >= give_up_at:
                raise
            time.sleep(0.01)


def sync_file(path: Path) -> None:
    """Make the bytes of a file durable."""
    with path.open("r+b") as file:  # Windows syncs only what could be written
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Make the names in `path` durable, where the system can: Windows cannot open a folder, and some file systems, as
    of folders that a virtual machine shares, have no such call for one.
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
