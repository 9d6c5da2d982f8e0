"""The packages that only some exports need."""

from __future__ import annotations

from core.errors import UserError


def not_installed(package: str, needed_by: str) -> UserError:
    """The error to raise if the package of an extra of the same name is missing."""
    return UserError(
        f"{needed_by} needs the package {package}, which is not installed.",
        f"Install it where Headlight is: python -m pip install {package}, or pipx inject headlight {package}, "
        f"or uv tool install '.[{package}]' in the folder of the clone.",
    )
