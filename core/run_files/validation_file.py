"""The sentences of one validation, one JSON line each: source, reference, hypothesis, each token's probability.

Each line says which sentence it is `of` how many: a file cut off between two lines is seen to be.
"""

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
    records = [asdict(sentence) for sentence in sentences]
    numbered = ({"sentence": number, "of": len(records)} | record for number, record in enumerate(records, start=1))
    return b"".join(map(checked_line, numbered))


def read_validation_file(path: Path) -> tuple[ValidatedSentence, ...]:
    """Read it again. Raises UserError that names a damaged file."""
    records = read_whole_lines(path)
    try:
        if not records or len(records) != records[-1]["of"]:
            raise damaged(path, "it is cut off")
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
