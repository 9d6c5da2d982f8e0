"""Reads and writes small documents: bytes with a checksum, and JSON objects. Errors name the damaged file."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from core.errors import UserError
from core.machine.resource_errors import as_file_limit_error
from core.user_input.errors import first_message

Shape = TypeVar("Shape")


class DamagedFile(UserError):
    """A file is not what was written: cut off, altered, or of another kind."""


_RESTORE_ADVICE = "Restore it from a copy of the run."
_READABLE_ADVICE = "Make it readable, or restore it from a copy of the run."
MAX_BYTES = 256 * 2**20  # bytes; config, environment, vocabulary, validations and run.json are far below


@contextmanager
def reporting_read_errors(path: Path, advice: str = _READABLE_ADVICE) -> Iterator[None]:
    """Turn an OSError while a file or folder is read into a UserError that names it: missing, forbidden, bad sector."""
    try:
        yield
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file.", _RESTORE_ADVICE) from None
    except OSError as error:
        raise as_file_limit_error(error) or DamagedFile(
            f"{path}: it cannot be read ({error.strerror or error}).", advice
        ) from None


def require_memory_to_read(path: Path, memory_factor: int) -> None:
    """Raise DamagedFile if `memory_factor` times the size exceeds the machine's memory, as only a forged file can."""
    if not hasattr(os, "sysconf"):
        return
    if memory_factor * path.stat().st_size > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
        raise damaged(path, "it is too large for this machine's memory")


def read_file(path: Path, expected: str | None = None) -> bytes:
    """The bytes of a document. Raises UserError if it is missing, absurdly large or unreadable.

    Also if its checksum is not the `expected` one, from run.json.
    """
    with reporting_read_errors(path):
        if path.stat().st_size > MAX_BYTES:
            raise damaged(path, f"larger than {MAX_BYTES} bytes")
        data = path.read_bytes()
    if expected not in (None, checksum(data)):
        raise damaged(path, "its checksum in run.json does not match")
    return data


def json_bytes(value: Mapping[str, Any]) -> bytes:
    """A JSON document, readable for people too. Undecodable bytes of a path (surrogates) are written as escapes."""
    return (json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode(errors="backslashreplace")


def json_object(data: bytes, path: Path) -> dict[str, Any]:
    """The object in a JSON document. Raises DamagedFile that names `path` if there is none."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise damaged(path, "it is not JSON") from None
    if not isinstance(value, dict):
        raise damaged(path, "it is not a JSON object")
    return value


def checked_document(record: Mapping[str, Any]) -> bytes:
    """A JSON document with its own checksum, in the first line: to edit the file, a person just deletes that line."""
    return json_bytes({"checksum": checksum(json_bytes(record)), **record})


def read_checked_document(path: Path) -> dict[str, Any]:
    """Read a `checked_document`; its checksum may have been deleted. Raises DamagedFile if it does not match."""
    record = json_object(read_file(path), path)
    written = record.pop("checksum", None)
    with _reporting_damage(path):
        if written not in (None, checksum(json_bytes(record))):
            raise damaged(path, "its checksum does not match")
    return record


def validated(adapter: TypeAdapter[Shape], record: Mapping[str, Any], path: Path) -> Shape:
    """The record as the adapter's type. Raises DamagedFile that names the first error."""
    with _reporting_damage(path):
        return adapter.validate_json(json_bytes(record), strict=True)


@contextmanager
def _reporting_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except ValidationError as error:
        raise damaged(path, first_message(error)) from None
    except ValueError as error:  # what only Python's JSON allows: NaN, half a surrogate pair
        raise damaged(path, str(error)) from None


def checksum(data: bytes) -> str:
    """crc32 in hexadecimal: fast, and enough to find damage, but no protection against forgery."""
    return f"{zlib.crc32(data):08x}"


def damaged(path: Path, why: str) -> DamagedFile:
    """The error for a file that is not what was written."""
    return DamagedFile(f"{path}: the file is damaged ({why}).", _RESTORE_ADVICE)
