"""label.json: a user's name for a run and a note on it. The process that trains the run never touches the file."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from core.errors import UserError
from core.run_files.documents import DamagedFile, checked_bytes, read_checked, validated

LONGEST_NAME, LONGEST_NOTE = 200, 10_000  # characters


@dataclass(frozen=True, kw_only=True)
class RunLabel:
    """A user's name and note for a run. `name` is one line; if it is empty, the name in the run's settings counts."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: Annotated[str, Field(max_length=LONGEST_NAME, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""


_LABEL = TypeAdapter(RunLabel)


def label_bytes(label: RunLabel) -> bytes:
    """The bytes of the file, its own checksum first. Raises UserError for a label that could not be read back."""
    if len(label.note) > LONGEST_NOTE:
        raise UserError(f"The note has {len(label.note):,} characters, and {LONGEST_NOTE:,} are kept.", "Shorten it.")
    record = asdict(label)
    try:
        _LABEL.validate_python(record)
    except ValidationError:
        raise UserError(f"A run's name is one line of at most {LONGEST_NAME} characters.", "Shorten it.") from None
    return checked_bytes(record)


def read_label(path: Path) -> RunLabel:
    """Read the label; empty if there is none. Raises DamagedFile if it is not what was written."""
    if not path.exists():
        return RunLabel()
    try:
        return validated(_LABEL, read_checked(path), path)
    except DamagedFile as error:
        advice = "Restore it from a copy of the run, or delete it: only the run's name and note are in it."
        raise DamagedFile(error.sentence, advice) from None
