"""Reads the presets in resources/presets, and what the command line and the window take as PRESET|FILE.yaml."""

from __future__ import annotations

import difflib
from importlib.resources import files
from pathlib import Path

from core.at_path import exists
from core.config import RunConfig, config_from_document
from core.errors import UserError
from core.home_paths import expand_home
from core.settings.overriding import override
from core.user_input.strict_yaml import Document, read_yaml, read_yaml_file

FIRST_PRESET = "toy_german_english"
"""What the window opens with."""

# First the tasks to begin with, then those that show one idea each; the others follow by name.
_FIRST = (
    *("copy_task", "toy_german_english", "phonetic_to_letter"),
    *("reverse", "sort", "addition", "dates", "brackets", "roman_numerals"),
)


def preset_names() -> list[str]:
    """Every preset, the ones to begin with first."""
    names = sorted(path.name.removesuffix(".yaml") for path in _folder().iterdir() if path.name.endswith(".yaml"))
    return [*_FIRST, *(name for name in names if name not in _FIRST)]


def preset_text(name: str) -> str:
    """A preset's YAML text, comments included. Raises UserError that names the nearest preset if there is none."""
    if name not in preset_names():
        close = difflib.get_close_matches(name, preset_names(), n=1)
        advice = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(preset_names())}."
        raise UserError(f"{name}: no such preset.", advice)
    return _folder().joinpath(f"{name}.yaml").read_text(encoding="utf-8")


def preset_summary(name: str) -> str:
    """The sentence in a preset's first line."""
    return preset_text(name).partition("\n")[0].removeprefix("# ")


def read_preset(name: str, overrides: tuple[str, ...] = ()) -> RunConfig:
    """A preset's settings with `KEY=VALUE` overrides applied in order."""
    return config_from_document(override(_preset(name), overrides))


def preset_or_file(text: str) -> Document:
    """A preset by its name, or a YAML file by its path; parsed, not validated. Raises UserError if it is neither."""
    path = expand_home(text)
    is_path = text not in preset_names() and (path.suffix or len(path.parts) > 1 or exists(path))
    return read_yaml_file(path) if is_path else _preset(text)


def _preset(name: str) -> Document:
    return read_yaml(preset_text(name), f"preset {name}")


def _folder() -> Path:
    # Installed or not, the resources are plain files: wheels are unpacked, and the application is not run from a zip.
    return Path(str(files("resources.presets")))
