"""Other runs are offered by their names in the table; damaged runs are not."""

from __future__ import annotations

import shutil
from pathlib import Path

from core.run_folder import RunFolder, RunLabel
from gui.runs.other_runs import read_runs_with_probes, read_runs_with_weights
from gui.runs.rows import EXAMPLE_NAME, example_path


def test_damaged_runs_are_not_offered(tmp_path: Path) -> None:
    (tmp_path / "damaged").mkdir()
    RunFolder.create(tmp_path, "empty")
    (tmp_path / "a file").write_text("")
    runs = {run.name: run for run in read_runs_with_probes(tmp_path)}
    assert runs[EXAMPLE_NAME].sources and runs[EXAMPLE_NAME].steps
    assert list(runs) == [EXAMPLE_NAME]


def test_runs_are_offered_by_their_names_in_the_table(tmp_path: Path) -> None:
    for folder, name in (("named", "warm-up of 400"), ("unnamed", "")):
        shutil.copytree(example_path(), tmp_path / folder)
        RunFolder.open(tmp_path / folder).write_label(RunLabel(name=name))
    config = RunFolder.open(example_path()).config()
    assert [run.name for run in read_runs_with_probes(tmp_path)] == [config.name, "warm-up of 400", EXAMPLE_NAME]
    plugin = config.dataset.plugin
    weights = read_runs_with_weights(tmp_path, plugin)
    assert [run.name for run in weights] == [config.name, "warm-up of 400", EXAMPLE_NAME]
    (tmp_path / "named" / "label.json").write_text("damaged")
    distinct_names = [f"{config.name}, {folder}" for folder in ("unnamed", "named")]  # begun in the same second
    assert [run.name for run in read_runs_with_probes(tmp_path)] == [*distinct_names, EXAMPLE_NAME]
    assert [run.name for run in read_runs_with_weights(tmp_path, plugin)] == [*distinct_names, EXAMPLE_NAME]
