"""metrics.jsonl: everything that is plotted over steps, appended line by line, and read as a whole or in part."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from errno import ENOSPC
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from core.at_path import exists
from core.run_files.checked_lines import is_intact, read_checked_lines
from core.run_files.documents import DamagedFile, damaged, reporting_read_errors, require_memory_to_read
from core.run_files.metrics_lines import SETTING_MARK, VALIDATION_MARK, Record, is_metrics

_MAX_LINE_BYTES = 16_384  # bytes
_BLOCK_BYTES = 2**20  # searched at once: a long run's file need not fit into memory
_MEMORY_FACTOR = 5  # measured: bytes, lines and values are there at once
_ADVICE = "Restore it from a copy of the run, or delete it to open the run without its curves."


@dataclass(frozen=True)
class MetricsRecords:
    """Lines of metrics.jsonl by kind, and the position in the file after the last of them."""

    steps: Sequence[Record]
    between_steps: Sequence[Record]  # validations and changed settings, in the order written
    end: int

    @property
    def validations(self) -> list[Record]:
        return [record for record in self.between_steps if "is_best" in record]

    @property
    def settings(self) -> list[Record]:
        return [record for record in self.between_steps if "setting" in record]


@dataclass(frozen=True)
class MetricsFile:
    """The metrics.jsonl of a run, which has no lines if it was deleted, and what run.json says of its size.

    A torn last line is left out wherever lines are read.
    """

    path: Path
    min_size: int = 0  # bytes that must be whole lines
    durable_size: int | None = None  # bytes that no power cut can have damaged; None: all

    def append(self, lines: bytes) -> None:
        """Append whole lines. What a full disk cuts off is removed, so that no line is appended to half of another."""
        with self.path.open("ab", buffering=0) as file:
            before = file.seek(0, os.SEEK_END)
            try:
                written = file.write(lines)
                if written != len(lines):
                    raise OSError(ENOSPC, os.strerror(ENOSPC), str(self.path))
            except OSError:
                file.truncate(before)
                raise

    # -- all of it -----------------------------------------------------------------------------------------------------

    def read(self, offset: int = 0) -> MetricsRecords:
        """The lines from `offset` on, up to the first that a power cut damaged.

        Raises DamagedFile that names an earlier damaged line, or if the whole lines have fewer than `min_size` bytes.
        """
        with self._opened() as file:
            file.seek(offset)
            durable_size = None if self.durable_size is None else self.durable_size - offset
            records, num_bytes = read_checked_lines(file.read(), str(self.path), _ADVICE, durable_size)
        self._require_size(offset + num_bytes)
        if not all(map(is_metrics, records)):
            raise damaged(self.path, "a line of it has no metrics")
        between_steps = [record for record in records if "is_best" in record or "setting" in record]
        steps = [record for record in records if "is_best" not in record and "setting" not in record]
        return MetricsRecords(steps, between_steps, offset + num_bytes)

    def whole_lines(self) -> tuple[list[Record], bytes]:
        """The lines that `read` reads, and their bytes. Raises DamagedFile as `read` does."""
        with self._opened() as file:
            data = file.read()
        records, intact_size = read_checked_lines(data, str(self.path), _ADVICE, self.durable_size)
        self._require_size(intact_size)
        return records, data[:intact_size]

    def lines_until(self, step: int, at_step: Mapping[str, int]) -> bytes:
        """The lines up to this step; of the step's own "setting" and "is_best" lines, only the first `at_step[kind]`.

        The step may be validated again after a setting was changed: such a validation is kept if no change before it is
        cut off. Raises DamagedFile as `read` does.
        """
        records, data = self.whole_lines()
        seen: Counter[str] = Counter()
        kept = []
        for record, line in zip(records, data.split(b"\n"), strict=False):  # after the last newline is no line
            if record["step"] == step:
                seen.update(at_step.keys() & record.keys())
                if seen["is_best"] > 1 and seen["setting"] <= at_step.get("setting", 0):
                    seen["is_best"] = 1
            if record["step"] <= step and all(seen[kind] <= limit for kind, limit in at_step.items() if kind in record):
                kept.append(line + b"\n")
        return b"".join(kept)

    def _require_size(self, intact_size: int) -> None:
        """Raise DamagedFile if fewer than `min_size` bytes are whole, unless the file was deleted."""
        if intact_size >= self.min_size or not exists(self.path):
            return
        with self.path.open("rb") as file:
            file.seek(intact_size)
            rest = file.read(_MAX_LINE_BYTES + 1)
        if len(rest) > _MAX_LINE_BYTES or not b'{"step": '.startswith(rest[:9]):  # not what is left of a torn line
            what = f"damaged (only {intact_size:,} bytes at its beginning are whole lines)"
        else:
            what = f"cut off ({intact_size:,} of {self.min_size:,} bytes are left)"
        raise DamagedFile(f"{self.path}: the file is {what}.", _ADVICE)

    # -- parts of it ---------------------------------------------------------------------------------------------------

    def validations(self) -> list[Record]:
        """Only the lines of validations, which are few in a long run. Raises DamagedFile as `read` does."""
        return self._marked_lines(VALIDATION_MARK, "validations")

    def settings(self) -> list[Record]:
        """Only the lines of changed settings. Raises DamagedFile as `read` does."""
        return self._marked_lines(SETTING_MARK, "changed settings")

    def _marked_lines(self, mark: bytes, what: str) -> list[Record]:
        lines, num_durable, position = [], 0, 0
        with self._opened() as file:
            while block := file.read(_BLOCK_BYTES) + file.readline():  # whole lines
                end = 0
                while (found := block.find(mark, end)) >= 0:  # a loop over all lines takes four times as long
                    start, end = block.rfind(b"\n", 0, found) + 1, block.find(b"\n", found) + 1 or len(block)
                    lines.append(block[start:end])
                    is_durable = self.durable_size is None or position + end <= self.durable_size
                    num_durable += end - start if is_durable else 0
                position += len(block)
        return read_checked_lines(b"".join(lines), f"{self.path} (its {what})", _ADVICE, num_durable)[0]

    def sample(self, num: int) -> list[Record]:
        """At most `num` lines, spread evenly over the file, at the same cost however long it is.

        Damaged lines are skipped; `read` reports them when the run is opened.
        """
        lines: dict[bytes, None] = {}
        with self._opened() as file:
            end = file.seek(0, os.SEEK_END)
            for number in range(num):
                file.seek(number * end // num)
                if number:
                    file.readline(_MAX_LINE_BYTES)  # the rest of the line at this position
                lines[file.readline(_MAX_LINE_BYTES).rstrip(b"\n")] = None
        return [json.loads(line) for line in lines if line and is_intact(line)]

    def has_damaged_tail(self) -> bool:
        """Whether a whole line is damaged beyond those that are durable, as by a power cut; it is read up to there."""
        if self.durable_size is None:
            return False
        with self._opened() as file:
            file.seek(self.durable_size)
            return not all(map(is_intact, file.read().split(b"\n")[:-1]))

    # -- its end -------------------------------------------------------------------------------------------------------

    def inode_and_size(self) -> tuple[int, int]:
        """What shows that the file was replaced or cut short, as when a run goes back to a checkpoint."""
        found = self.path.stat() if exists(self.path) else None
        return (found.st_ino, found.st_size) if found else (0, 0)

    def size_without_last_line(self) -> int:
        """The file's size in bytes without the last line, which may always be torn."""
        with self._opened() as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(0, end - _MAX_LINE_BYTES))
            return end - len(last_line(file.read()))

    def last_step(self) -> int:
        """The step of the last line, read from the end of the file; 0 if there is none."""
        with self._opened() as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _MAX_LINE_BYTES))
            lines = file.read().split(b"\n")[:-1]
        return next((int(json.loads(line)["step"]) for line in reversed(lines) if is_intact(line)), 0)

    def records_of_step(self, step: int) -> list[Record]:
        """The lines of this step, searched from the end of the file, where they are if the run goes on from it."""
        with self._opened() as file:
            end, size = file.seek(0, os.SEEK_END), _MAX_LINE_BYTES
            while True:
                start = file.seek(max(0, end - size))
                lines = file.read(end - start).split(b"\n")[1 if start else 0 : -1]
                records = [json.loads(line) for line in lines if is_intact(line)]
                if start == 0 or any(record["step"] < step for record in records):
                    return [record for record in records if record["step"] == step]
                size *= 4

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        with reporting_read_errors(self.path):
            try:
                require_memory_to_read(self.path, _MEMORY_FACTOR)
                file: BinaryIO = self.path.open("rb")
            except FileNotFoundError:  # deleted: a run without curves
                file = BytesIO()
            with file:
                yield file


def last_line(lines: bytes) -> bytes:
    """The last of these whole lines, including its newline."""
    return lines[lines.rfind(b"\n", 0, -1) + 1 :]
