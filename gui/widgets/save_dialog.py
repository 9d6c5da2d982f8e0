"""Asks where to save a file, gives its name the suffix of its format, and writes it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from core.at_path import exists
from core.errors import UserError
from core.run_files.atomic import atomic_file
from core.run_files.runs_dir import require_outside_runs


def ask_where_to_save(parent: QWidget, title: str, suggested_name: str, formats: Mapping[str, str]) -> Path | None:
    """The file that the user named, or None if they cancelled. `formats` are the names of the formats, by suffix.

    A typed suffix is kept if it is one of `formats`; otherwise that of the chosen format is appended, also to "lr 0.5".
    If a file of the completed name exists, which the dialog could not ask about, the dialog opens again with that name.
    """
    suffixes = {f"{format_name} (*{suffix})": suffix for suffix, format_name in formats.items()}
    name, chosen = QFileDialog.getSaveFileName(parent, title, suggested_name, ";;".join(suffixes))
    if not name or Path(name).suffix.lower() in formats:
        return Path(name) if name else None
    suffix = suffixes.get(chosen, next(iter(formats)))  # some desktops' dialogs do not tell the chosen format
    whole = Path(name + suffix)
    return ask_where_to_save(parent, title, str(whole), formats) if exists(whole) else whole


def save_file(path: Path, data: bytes) -> None:
    """Write a file that the user named, whole or not at all.

    Raises UserError if it cannot be written, or would lie in a run's folder.
    """
    require_outside_runs(path)
    try:
        with atomic_file(path) as file:
            file.write(data)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.", "Choose another folder.") from error
