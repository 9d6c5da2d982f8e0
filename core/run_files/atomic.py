"""Files and folders that are whole or not there at all, whatever instant the process or the machine dies."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

TEMPORARY = ".tmp"
OLD = ".old"


def write_whole(path: Path, data: bytes) -> None:
    """Write `data` to `path` so that a reader, or whoever comes after a crash, sees the old file or the new one."""
    with whole_file(path) as file:
        file.write(data)
    sync_folder(path.parent)


def replace_whole(path: Path, data: bytes) -> None:
    """The same at a tenth of the time, but that a power cut may damage the new file until it is synced."""
    with whole_file(path, is_durable=False) as file:
        file.write(data)


@contextmanager
def whole_file(path: Path, *, is_durable: bool = True) -> Iterator[BinaryIO]:
    """Fill the file this yields; it takes the name `path` at the end, or is gone if filling it failed."""
    temporary = path.with_name(f"{path.name}{TEMPORARY}")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            if is_durable:
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Fill the folder this yields; it takes the name `path` at the end, or is gone if filling it failed."""
    temporary = path.with_name(f"{path.name}{TEMPORARY}")
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
        path.replace(old)
    new.replace(path)
    shutil.rmtree(old, ignore_errors=True)


def old_name(path: Path) -> Path:
    """Where the folder `path` waits while a newer one takes its name."""
    return path.with_name(f"{path.name}{OLD}")


def remove_folder(path: Path) -> None:
    """Remove a folder that is published by its name: a crash on the way leaves a temporary one, not half of this."""
    temporary = path.with_name(f"{path.name}{TEMPORARY}")
    shutil.rmtree(temporary, ignore_errors=True)  # left by a crash
    path.replace(temporary)
    shutil.rmtree(temporary)


def sync_file(path: Path) -> None:
    """Make the bytes of a file durable."""
    with path.open("r+b") as file:  # Windows syncs only what could be written
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Make the names in `path` durable, where the system can (Windows cannot open a folder)."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
