"""The version of Headlight, installed or run from a clone."""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path


def version() -> str:
    """`0.1.0`: from the clone's pyproject.toml if there is one, else from the installed package."""
    project = Path(__file__).parents[1] / "pyproject.toml"
    try:
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])
    except FileNotFoundError:
        pass
    try:
        return installed_version("headlight")
    except PackageNotFoundError:
        return "unknown"
