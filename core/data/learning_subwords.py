"""Learns subwords from the train split's texts with sentencepiece, in a process of its own.

Learning is one call into C++ that may take a minute. In its own process (`core/data/subword_process.py`) it can be
stopped at any moment, and its memory and crashes do not affect ours.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Generator, Sequence
from pathlib import Path
from time import monotonic
from typing import IO, Literal

from core.config import AUTO_SIZE, Auto, SubwordName
from core.data.pair_texts import pairs_file
from core.data.special_tokens import SPECIAL_TOKENS
from core.data.subword_progress import SubwordProgress
from core.data.subwords import SubwordModels, SubwordTokenizer
from core.errors import UserError
from core.events import Progress
from core.machine.child_python import start_python

Sides = Literal["src", "tgt", "both"]
MAX_PAIRS = 1_000_000
"""If there are more, only every second or third (and so on) is read, which bounds memory and time."""
_MODEL_TYPES: dict[SubwordName, str] = {"subword": "bpe", "subword_unigram": "unigram"}
_POLL_SECONDS = 0.05
_SPACE_TRIED = 2**16  # bytes: file systems give space in blocks of up to this size
_NAMES = {"src": "source", "tgt": "target", "both": "source and target"}
_TOO_FEW = re.compile(r"(\d+) vs (\d+)")
_NO_TEXTS = "!sentences_.empty()"  # sentencepiece skips empty texts, and those with its own sign of the unknown, U+2585
_SYSTEM_ERRORS = ("MemoryError", "bad_alloc", "Resource temporarily unavailable")  # the last: no thread can start
_MEMORY_ADVICE = "Is there too little memory? Close other programs, or choose other tokens."


class SizeTooSmall(UserError):
    """The texts have more different characters than the size allows subwords."""

    def __init__(self, size: Auto | int, sides: Sides, needed: int) -> None:
        self.needed = needed
        given = f"auto is at most {AUTO_SIZE:,}" if size == "auto" else f"{size:,}"
        or_auto = ", or to auto" if needed <= AUTO_SIZE else ""
        super().__init__(
            f"dataset.tokenizer.size = {given}: the {_NAMES[sides]} texts have so many different characters that they "
            f"need at least {needed:,}.",
            f"Set it to {needed:,} or more{or_auto}; some thousands are usual.",
        )


def learn_subwords(
    name: SubwordName, stem: Path, num_pairs: int, sides: Sides, size: Auto | int
) -> Generator[Progress, None, bytes]:
    """Learn a sentencepiece model of at most `size` tokens for `sides` of STEM's pairs; equal texts give equal bytes.

    Yields until the process is done; a progress is the estimated share of the time, as a number of pairs. Closing the
    generator ends the process. Raises SizeTooSmall if the characters of the texts need more tokens, and OSError if the
    disk is full.
    """
    max_size = AUTO_SIZE if size == "auto" else size
    model, log, stride = Path(f"{stem}.model"), Path(f"{stem}.log"), -(-num_pairs // MAX_PAIRS)
    progress, started = SubwordProgress(name, num_pairs // stride, max_size), monotonic()
    with log.open("wb") as stderr:
        process = _start([_MODEL_TYPES[name], pairs_file(stem), str(stride), sides, str(max_size), model], stderr)
    try:
        while not _has_ended(process):
            share = progress.share(monotonic() - started, _read(log))
            yield Progress(stage=f"learning {_NAMES[sides]} subwords", done=int(share * num_pairs), total=num_pairs)
        if process.returncode < 0:  # by a signal
            raise UserError(
                f"Learning subwords of the {_NAMES[sides]} texts was ended by the system.",
                _MEMORY_ADVICE,
            )
        if process.returncode:
            _require_space(log)
            raise _failure(_read(log), sides, size)
        return model.read_bytes()
    finally:
        process.kill()
        process.communicate()  # waits, and closes its input
        model.unlink(missing_ok=True)
        log.unlink(missing_ok=True)  # the user may have emptied the cache


def num_subwords(models: SubwordModels) -> dict[str, int]:
    """How many subwords the texts gave, special tokens included."""
    return {sides: len(SubwordTokenizer(model).pieces) + len(SPECIAL_TOKENS) for sides, model in models.items()}


def require_size(models: SubwordModels, size: int) -> None:
    """Raise UserError if no side's texts gave as many subwords as were asked for."""
    given = num_subwords(models)
    if max(given.values()) < size:
        min_size = max(_num_characters(model) for model in models.values()) + len(SPECIAL_TOKENS)
        counts = " and ".join(f"{count:,} {_NAMES[sides]}" for sides, count in given.items())
        raise UserError(
            f"dataset.tokenizer.size = {size:,}: the train split gives only {counts} subwords.",
            f"Set it to auto, or to a number from {min_size:,} to {max(given.values()):,}.",
        )


def _num_characters(model: bytes) -> int:
    """The number of different characters in the texts: each of them is a piece."""
    return sum(len(piece) == 1 for piece in SubwordTokenizer(model).pieces)


def _start(arguments: Sequence[Path | str], stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-m", "core.data.subword_process", *map(str, arguments)]
    return start_python(command, stdin=subprocess.PIPE, stderr=stderr)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(_POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _read(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")


def _require_space(log: Path) -> None:
    """Raise OSError if this file cannot grow: the process failed for the same reason, which it may not have logged."""
    with log.open("ab") as file:
        file.write(b"\n" * _SPACE_TRIED)


def _failure(log: str, sides: Sides, size: Auto | int) -> UserError:
    too_few = _TOO_FEW.search(log)
    if "required_chars" in log and too_few:
        return SizeTooSmall(size, sides, int(too_few[2]))
    if _NO_TEXTS in log:
        return UserError(
            f"Subwords cannot be learned: all {_NAMES[sides]} texts of the train split are empty or hold ▅ (U+2585).",
            "Fix the dataset, or choose other tokens.",
        )
    last_line = log.strip().rpartition("\n")[2].rstrip(".")  # of the traceback
    advice = _MEMORY_ADVICE if any(words in last_line for words in _SYSTEM_ERRORS) else "Choose other tokens."
    return UserError(f"Learning subwords of the {_NAMES[sides]} texts failed: {last_line:.500}.", advice)
