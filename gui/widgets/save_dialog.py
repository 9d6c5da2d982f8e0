"""Asks where to save a file, and gives its name the suffix of its format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget


def ask_where_to_save(over: QWidget, title: str, start: str, kinds: Mapping[str, str]) -> Path | None:
    """The file that the user named, or None if they cancelled. `kinds` are the names of the formats, by suffix.

    A typed suffix is kept if it is one of `kinds`; otherwise that of the chosen format is appended, also to "lr 0.5".
    If a file of the completed name exists, which the dialog could not ask about, the dialog opens again with that name.
    """
    suffixes = {f"{kind} (*{suffix})": suffix for suffix, kind in kinds.items()}
    name, chosen = QFileDialog.getSaveFileName(over, title, start, ";;".join(suffixes))
    if not name or Path(name).suffix.lower() in kinds:
        return Path(name) if name else None
    whole = Path(name + suffixes.get(chosen, next(iter(kinds))))  # some desktops' dialogs do not tell the chosen format
    return ask_where_to_save(over, title, str(whole), kinds) if whole.exists() else whole
