"""Stores the sentences of one validation, a line of JSON each: source, reference, hypothesis, token probabilities.

Each line has its number and the number `of` all sentences, so that a file cut off between two lines is detected.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from core.events import ValidatedSentence
from core.run_files.checked_lines import checked_line, read_complete_lines
from core.run_files.documents import damaged

_SENTENCES = TypeAdapter(tuple[ValidatedSentence, ...])  # as fast as building them by hand, and checks every value


def validation_bytes(sentences: Iterable[ValidatedSentence]) -> bytes:
    """The bytes of a validation's file."""
    records = [vars(sentence) for sentence in sentences]
    numbered = ({"sentence": number, "of": len(records)} | record for number, record in enumerate(records, start=1))
    return b"".join(map(checked_line, numbered))


def read_validation_file(path: Path) -> tuple[ValidatedSentence, ...]:
    """Read a validation's file. Raises UserError that names a damaged one."""
    records = read_complete_lines(path)
    if not records or len(records) != records[-1].get("of"):
        raise damaged(path, "it is cut off")
    try:
        sentences = _SENTENCES.validate_python(records)
    except ValidationError as error:
        first = error.errors()[0]
        line, *field = first["loc"]
        raise damaged(path, f"line {int(line) + 1}, {'.'.join(map(str, field))}: {first['msg']}") from None
    for line, one in enumerate(sentences, start=1):
        if not 0 < len(one.tokens) == len(one.probability) == len(one.rank):
            counts = f"{len(one.tokens)} tokens, {len(one.probability)} probabilities and {len(one.rank)} ranks"
            raise damaged(path, f"line {line} has {counts}")
    return sentences
