"""A run has one name everywhere, short enough to read and distinct from other runs' names."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from core.run_files.label import RunLabel
from core.run_folder import RunFolder
from gui.runs.rows import EXAMPLE_NAME, example_path, read_row
from gui.runs.run_names import (
    MAX_NAME_LENGTH,
    distinct_names,
    distinct_short_names,
    format_minute,
    run_name,
    shorten_name,
)

DAY = time.mktime((2026, 3, 1, 12, 30, 0, 0, 0, -1))


@dataclass(frozen=True)
class Run:
    name: str
    created: float = DAY
    path: Path = Path("/runs/somewhere")
    seed: int = 0


def test_a_run_has_the_same_name_in_the_table_and_in_every_combo_box(tmp_path: Path) -> None:
    folder = RunFolder.open(shutil.copytree(example_path(), tmp_path / "2026-01-01_made"))
    for label in (RunLabel(), RunLabel(name="warm-up of 400")):
        folder.write_label(label)
        assert run_name(folder) == read_row(folder.path).name == (label.name or folder.config().name)
    (folder.path / "label.json").write_text("damaged")
    assert run_name(folder) == folder.config().name
    assert run_name(RunFolder.open(example_path())) == EXAMPLE_NAME


def test_only_runs_of_the_same_name_get_their_date() -> None:
    runs = [Run("sort"), Run("copy"), Run("copy", DAY + 60)]
    assert distinct_names(runs) == ["sort", f"copy, {format_minute(DAY)}", f"copy, {format_minute(DAY + 60)}"]
    assert format_minute(DAY) == "2026-03-01 12:30"


def test_a_unique_seed_distinguishes_runs_of_the_same_name() -> None:
    assert distinct_names([Run("a"), Run("a", seed=2)]) == ["a, seed 0", "a, seed 2"]
    runs = [Run("a"), Run("a", DAY + 60), Run("a", DAY + 60, seed=1), Run("b", seed=1)]
    assert distinct_names(runs) == [f"a, {format_minute(DAY)}", f"a, {format_minute(DAY + 60)}", "a, seed 1", "b"]


def test_runs_of_the_same_minute_get_seconds_and_of_the_same_second_their_folder() -> None:
    runs = [Run("a"), Run("a", DAY + 7), Run("a", DAY + 60)]
    assert distinct_names(runs) == ["a, 2026-03-01 12:30:00", "a, 2026-03-01 12:30:07", "a, 2026-03-01 12:31"]
    twins = [Run("a", path=Path("/runs/x")), Run("a", path=Path("/runs/y"))]
    assert distinct_names(twins) == ["a, x", "a, y"]


def test_long_names_are_shortened_and_still_distinct() -> None:
    long = "the one with a very long name indeed, "
    assert shorten_name("short") == "short"
    assert len(shorten_name(long + "half")) <= MAX_NAME_LENGTH and shorten_name(long + "half").endswith("indeed, half")
    runs = [Run(f"{long}{'x' * 40} {long}"), Run(f"{long}{'y' * 40} {long}", DAY + 60)]
    names = distinct_short_names(runs)
    assert len(set(names)) == 2 and all(", 2026-03-01" in name for name in names)
    assert distinct_names(runs) == [run.name for run in runs]
