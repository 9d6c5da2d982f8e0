"""The sentences of one validation, one JSON line each: source, reference, hypothesis, each token's probability."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.events import ValidatedSentence
from core.run_files.checked_lines import checked_line, read_whole_lines
from core.run_files.documents import damaged


def validation_bytes(sentences: Iterable[ValidatedSentence]) -> bytes:
    """The file of a validation."""
    return b"".join(checked_line(asdict(sentence)) for sentence in sentences)


def read_validation_file(path: Path) -> tuple[ValidatedSentence, ...]:
    """Read it again. Raises UserError that names a damaged file."""
    records = read_whole_lines(path)
    try:
        return tuple(_sentence(record) for record in records)
    except (KeyError, TypeError) as error:
        raise damaged(path, f"no {error}") from None


def _sentence(record: dict[str, Any]) -> ValidatedSentence:
    return ValidatedSentence(
        source=record["source"],
        reference=record["reference"],
        hypothesis=record["hypothesis"],
        tokens=tuple(record["tokens"]),
        probability=tuple(record["probability"]),
        rank=tuple(record["rank"]),
    )
