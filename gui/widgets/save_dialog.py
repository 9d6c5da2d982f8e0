"""Asks where a file is to be saved; its name ends as its format says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget


def ask_where_to_save(over: QWidget, title: str, start: str, kinds: Mapping[str, str]) -> Path | None:
    """The file that a person named; None where they named none. `kinds` are the names of the formats, by suffix.

    A suffix of these that was typed is kept, and else the chosen format's is appended: "lr 0.5" has none. Where there
    is a file of that name, which the dialog did not ask about, it is asked for again by its whole name.
    """
    suffixes = {f"{kind} (*{suffix})": suffix for suffix, kind in kinds.items()}
    name, chosen = QFileDialog.getSaveFileName(over, title, start, ";;".join(suffixes))
    if not name or Path(name).suffix.lower() in kinds:
        return Path(name) if name else None
    whole = Path(name + suffixes.get(chosen, next(iter(kinds))))  # some desktops' dialogs do not tell what was chosen
    return ask_where_to_save(over, title, str(whole), kinds) if whole.exists() else whole
