"""label.json: a user's name for a run and a note on it. The process that trains the run never touches the file."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from core.at_path import exists
from core.errors import UserError
from core.run_files.documents import DamagedFile, checked_document, read_checked_document, validated

MAX_NAME_LENGTH, MAX_NOTE_LENGTH = 200, 10_000  # characters


@dataclass(frozen=True, kw_only=True)
class RunLabel:
    """A user's name and note for a run. `name` is one line; if it is empty, the name in the run's settings counts."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: Annotated[str, Field(max_length=MAX_NAME_LENGTH, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""
    note: Annotated[str, Field(max_length=MAX_NOTE_LENGTH)] = ""


_LABEL = TypeAdapter(RunLabel)


def label_bytes(label: RunLabel) -> bytes:
    """The bytes of the file, its own checksum first. Raises UserError for a label that could not be read back."""
    if len(label.note) > MAX_NOTE_LENGTH:
        sentence = f"The note has {len(label.note):,} characters, and {MAX_NOTE_LENGTH:,} are kept."
        raise UserError(sentence, "Shorten it.")
    record = asdict(label)
    try:
        _LABEL.validate_python(record)
    except ValidationError:
        raise UserError(f"A run's name is one line of at most {MAX_NAME_LENGTH} characters.", "Shorten it.") from None
    return checked_document(record)


def read_label(path: Path) -> RunLabel:
    """Read the label; empty if there is none. Raises DamagedFile if it is not what was written."""
    if not exists(path):
        return RunLabel()
    try:
        return validated(_LABEL, read_checked_document(path), path)
    except DamagedFile as error:
        advice = "Restore it from a copy of the run, or delete it: only the run's name and note are in it."
        raise DamagedFile(error.sentence, advice) from None
