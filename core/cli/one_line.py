"""A text for one line of the terminal, whoever wrote it."""

from __future__ import annotations

from unicodedata import category


def one_line(text: str) -> str:
    """A text that may be a stranger's: what would begin a line, or command the terminal, is written as Python does."""
    return "".join(repr(one)[1:-1] if category(one) == "Cc" else one for one in text)
