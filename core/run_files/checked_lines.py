"""JSON lines that each carry their own checksum: `{"step": 50, ..., "checksum": "1a2b3c4d"}`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.run_files.documents import DamagedFile, checksum, damaged, read_file

_TAIL_BYTES = len(b', "checksum": "1a2b3c4d"}')


def checked_line(record: Mapping[str, Any]) -> bytes:
    """One line with its newline. Values that are not finite must be given as None: JSON has no word for them."""
    body = json.dumps(record, ensure_ascii=False, allow_nan=False).encode()[:-1]
    return body + _tail(body) + b"\n"


def is_intact(line: bytes) -> bool:
    """Whether the checksum of a line (without its newline) is right."""
    return line[-_TAIL_BYTES:] == _tail(line[:-_TAIL_BYTES])


def _tail(body: bytes) -> bytes:
    return f', "checksum": "{checksum(body)}"}}'.encode()


def read_checked_lines(
    data: bytes, where: str, advice: str = "Restore the file from a copy of the run.", durable_size: int | None = None
) -> tuple[list[dict[str, Any]], int]:
    """The records in `data`, and the number of bytes that they take.

    A last line without its newline was torn by a crash and is left out. Raises DamagedFile that names a damaged line in
    the first `durable_size` bytes (None: all), which no power cut can have damaged; a damaged line beyond is left out
    with all that follows.
    """
    lines = data.split(b"\n")[:-1]  # after the last newline there is nothing, unless the writer was killed
    num_bytes = 0
    for number, line in enumerate(lines):
        if not is_intact(line):
            if durable_size is None or num_bytes < durable_size:
                raise DamagedFile(f"{where}: line {number + 1} is damaged (its checksum does not match).", advice)
            del lines[number:]
            break
        num_bytes += len(line) + 1
    try:
        records: list[dict[str, Any]] = json.loads(b"[" + b",".join(lines) + b"]")
    except (ValueError, RecursionError):
        raise DamagedFile(f"{where}: the file is damaged (a line of it is not JSON).", advice) from None
    return records, num_bytes


def read_complete_lines(path: Path) -> list[dict[str, Any]]:
    """The records of a file that was written atomically, so that no line can be torn."""
    data = read_file(path)
    records, num_bytes = read_checked_lines(data, str(path))
    if num_bytes != len(data):
        raise damaged(path, "it is cut off")
    return records
