"""Tells the files that runs write from others: only a folder with nothing else in it is deleted permanently."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from core.errors import UserError
from core.run_files.by_step import FOLDERS
from core.run_files.checked_lines import is_intact
from core.run_files.format import FORMAT
from core.run_files.names import ALL, one_of
from core.run_files.state import read_state
from core.settings.strict_yaml import read_yaml_file

_LEFT = r"(\.tmp|\.old)?"  # left by a crash
_OWN = re.compile(
    rf"({one_of(ALL)}){_LEFT}"
    rf"|(validations/[0-9]{{6,}}\.jsonl|(probes|snapshots)/[0-9]{{6,}}\.safetensors){_LEFT}"
    rf"|checkpoints/[0-9]{{6,}}{_LEFT}/((model|optimizer)\.safetensors|state\.json){_LEFT}"
)
_OF_A_DESKTOP = (".DS_Store", "Thumbs.db", "desktop.ini")  # a desktop writes them into folders that it shows
_NAMED = 3  # how many files the error names
_LONGEST_LINE = 2**16  # bytes; ours are far shorter


def require_nothing_else(run: Path) -> None:
    """Raise UserError if a folder is not recognisably a run, even a damaged one, or holds files that no run writes."""
    if not any((run / name).is_file() and is_ours(run / name) for name, is_ours in _TELLING.items()):
        raise UserError(
            f"{run} is not recognisably a run: Headlight wrote neither its run.json nor its config.yaml nor its "
            "metrics.jsonl; nothing was deleted.",
            "If it is what is left of one, remove the folder yourself.",
        )
    if others := _others(run):
        more = f" and {len(others) - _NAMED:,} more" if len(others) > _NAMED else ""
        raise UserError(
            f"{run} contains files that are not the run's: {', '.join(others[:_NAMED])}{more}; nothing was deleted.",
            "Move them elsewhere first: deletion is permanent.",
        )


def _is_state(path: Path) -> bool:
    with suppress(UserError):
        return read_state(path).created > 0  # another program's run.json does not have it
    return False


def _is_settings(path: Path) -> bool:
    with suppress(UserError):
        settings = read_yaml_file(path).value
        return isinstance(settings, dict) and settings.get("format") == FORMAT and "dataset" in settings
    return False


def _is_curves(path: Path) -> bool:
    with suppress(OSError), path.open("rb") as file:
        return is_intact(file.readline(_LONGEST_LINE).removesuffix(b"\n"))
    return False


_TELLING = {"run.json": _is_state, "config.yaml": _is_settings, "metrics.jsonl": _is_curves}


def _others(run: Path) -> list[str]:
    """The files that no run writes; for those in a folder that no run makes, the folder."""
    paths = (Path(inner, name).relative_to(run) for inner, _, names in os.walk(run) for name in names)
    foreign = [path for path in paths if path.name not in _OF_A_DESKTOP and not _OWN.fullmatch(path.as_posix())]
    return sorted({path.as_posix() if path.parts[0] in FOLDERS else path.parts[0] for path in foreign})
