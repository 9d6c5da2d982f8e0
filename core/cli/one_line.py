"""Makes untrusted text safe to print on one line of the terminal."""

from __future__ import annotations

from unicodedata import category


def one_line(text: str) -> str:
    """The text with control characters escaped as in Python: line breaks, and what would command the terminal."""
    return "".join(repr(one)[1:-1] if category(one) == "Cc" else one for one in text)
