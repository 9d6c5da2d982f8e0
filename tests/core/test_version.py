"""The version is defined once, in pyproject.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

from core.version import version


def test_the_version_is_that_of_the_project_file() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert version() == project["project"]["version"]
