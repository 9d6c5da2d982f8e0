"""The version of what a run's files hold and how. It grows when an older program would misread them."""

from typing import Literal

from core.errors import UserError

FORMAT: Literal[1] = 1


class NewerFormat(UserError):
    """A newer version of the program wrote it: nothing is wrong with it."""


def require_known_format(given: object, where: str) -> None:
    """Raise NewerFormat where a newer version of the program wrote the file that `where` names."""
    if isinstance(given, int) and given > FORMAT:
        raise NewerFormat(
            f"{where}: a newer version of Headlight made this (format {given}; this one reads format {FORMAT}).",
            "Open it with that version, or bring this one up to date.",
        )
