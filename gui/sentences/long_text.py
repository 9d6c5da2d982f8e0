"""Lets text fields take every sentence that a model can read."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit

_MAX_CHARACTERS = 1_000_000  # more than the 100,000 tokens that a model may read; as many take Qt a second


def allow_long_text(*edits: QLineEdit) -> None:
    """Raise Qt's limit of 32,767 characters, at which it cuts a text without a word."""
    for edit in edits:
        edit.setMaxLength(_MAX_CHARACTERS)
