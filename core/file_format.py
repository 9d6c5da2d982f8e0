"""The version of a run's file formats. It is increased when an older Headlight would misread them."""

from typing import Literal

from core.errors import UserError

FORMAT: Literal[1] = 1


class NewerFormat(UserError):
    """A newer version of Headlight wrote the file, which is not damaged."""


def require_known_format(given: object, where: str) -> None:
    """Raise NewerFormat if a newer version of Headlight wrote the file that `where` names."""
    if isinstance(given, int) and given > FORMAT:
        raise NewerFormat(
            f"{where}: a newer version of Headlight made this (format {given}; this one reads format {FORMAT}).",
            "Open it with that version, or bring this one up to date.",
        )
