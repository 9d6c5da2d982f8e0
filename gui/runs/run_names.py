"""What a run is called in the window, and what tells runs of the same name apart."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from core.run_files.documents import DamagedFile
from core.run_folder import RunFolder
from core.runs.run_summary import summarise
from gui.runs.rows import EXAMPLE_NAME, example_path

MAX_NAME_LENGTH = 40  # characters of a name in a combo box


class NamedRun(Protocol):
    """A run, with its whole name and what tells it apart from others of that name."""

    @property
    def path(self) -> Path: ...

    @property
    def name(self) -> str: ...

    @property
    def seed(self) -> int: ...

    @property
    def created(self) -> float: ...


def run_name(folder: RunFolder) -> str:
    """The name that the user gave the run, or else that of its settings."""
    if folder.path == example_path():
        return EXAMPLE_NAME
    with suppress(DamagedFile):  # the Runs view reports it
        return summarise(folder).name
    return folder.config().name


def distinct_names(runs: Sequence[NamedRun]) -> list[str]:
    """The names of runs; those with the same name also get their seed, or when they began, or their folder."""
    return _distinguished(runs, [run.name for run in runs])


def distinct_short_names(runs: Sequence[NamedRun]) -> list[str]:
    """The same with shortened names: a combo box is as wide as its longest text."""
    return _distinguished(runs, [shorten_name(run.name) for run in runs])


def _distinguished(runs: Sequence[NamedRun], names: Sequence[str]) -> list[str]:
    distinct = list(names)
    for marks in (
        [f"seed {run.seed}" for run in runs],
        [format_minute(run.created) for run in runs],
        [_format_second(run.created) for run in runs],
        [run.path.name for run in runs],
    ):
        counts = Counter(distinct)
        marked = [f"{name}, {mark}" for name, mark in zip(names, marks, strict=True)]
        distinct = [one if counts[one] == 1 else other for one, other in zip(distinct, marked, strict=True)]
    return distinct


def shorten_name(name: str) -> str:
    """The name, without its middle if it is too long."""
    half = MAX_NAME_LENGTH // 2
    return name if len(name) <= MAX_NAME_LENGTH else f"{name[:half].rstrip()}…{name[1 - half :].lstrip()}"


def format_minute(seconds: float) -> str:
    """A time since the epoch as the table of runs shows it."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _format_second(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
