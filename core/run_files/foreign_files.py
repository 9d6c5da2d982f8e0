"""Tells the files that runs write from others: only a folder with nothing else in it is deleted permanently."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from core.at_path import is_file
from core.errors import UserError
from core.file_format import FORMAT
from core.run_files.checked_lines import is_intact
from core.run_files.file_names import ALL_FILES, CONFIG, METRICS, STATE, any_of
from core.run_files.state import read_state
from core.run_files.step_files import STEP_FILES, STEP_FOLDERS
from core.user_input.strict_yaml import read_yaml_file

_CRASH_SUFFIX = r"(\.tmp|\.old)?"  # left by a crash
_RUN_FILE = re.compile(
    rf"({any_of(ALL_FILES)}|{STEP_FILES}){_CRASH_SUFFIX}"
    rf"|checkpoints/[0-9]{{6,}}{_CRASH_SUFFIX}/((model|optimizer)\.safetensors|state\.json){_CRASH_SUFFIX}"
)
_DESKTOP_FILES = (".DS_Store", "Thumbs.db", "desktop.ini")  # a desktop writes them into folders that it shows
_NUM_NAMED = 3  # how many files the error names
_MAX_LINE_BYTES = 2**16  # bytes; ours are far shorter


def require_only_run_files(run: Path) -> None:
    """Raise UserError if a folder is not recognisably a run, even a damaged one, or holds files that no run writes."""
    if not any(is_file(run / name) and is_ours(run / name) for name, is_ours in _RECOGNISERS.items()):
        raise UserError(
            f"{run} is not recognisably a run: Headlight wrote neither its run.json nor its config.yaml nor its "
            "metrics.jsonl; nothing was deleted.",
            "If it is what is left of one, remove the folder yourself.",
        )
    if foreign := _foreign_files(run):
        named = ", ".join(foreign[:_NUM_NAMED])
        more = f" and {len(foreign) - _NUM_NAMED:,} more" if len(foreign) > _NUM_NAMED else ""
        raise UserError(
            f"{run} contains files that are not the run's: {named}{more}; nothing was deleted.",
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
        return is_intact(file.readline(_MAX_LINE_BYTES).removesuffix(b"\n"))
    return False


_RECOGNISERS = {STATE: _is_state, CONFIG: _is_settings, METRICS: _is_curves}


def _foreign_files(run: Path) -> list[str]:
    """The files that no run writes; for those in a folder that no run makes, the folder."""
    walk = os.walk(run, onerror=_refuse_unlisted)
    paths = (Path(inner, name).relative_to(run) for inner, _, names in walk for name in names)
    foreign = [path for path in paths if path.name not in _DESKTOP_FILES and not _RUN_FILE.fullmatch(path.as_posix())]
    return sorted({path.as_posix() if path.parts[0] in STEP_FOLDERS else path.parts[0] for path in foreign})


def _refuse_unlisted(error: OSError) -> None:
    """Refuse a folder whose files cannot be seen: deleting it would make it readable first, and remove them all."""
    raise UserError(
        f"{error.filename} cannot be listed ({error.strerror}): what lies there may not be the run's; nothing was "
        "deleted.",
        "Make it readable, or remove the run's folder yourself.",
    )
