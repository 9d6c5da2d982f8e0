"""What is read from runs to compare them: only appended lines, at one common step or at each run's newest."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.events import ValidationDone
from core.resuming import truncate_run
from core.run_files import checked_lines, metrics_file
from core.run_folder import RunFolder
from gui.runs.comparison import RunsReader, steps_to_read
from gui.runs.rows import example_path, read_row
from gui.smoothing import smoothed


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    return [Path(shutil.copytree(example_path(), tmp_path / name)) for name in ("a", "b")]


def test_only_lines_appended_to_a_run_are_read(runs: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    num_read: list[int] = []

    def counted(data: bytes, *rest: Any) -> object:
        num_read.append(data.count(b"\n"))
        return checked_lines.read_checked_lines(data, *rest)

    monkeypatch.setattr(metrics_file, "read_checked_lines", counted)
    reader = RunsReader()
    before = reader.read([read_row(run) for run in runs], "common")
    assert sum(num_read) >= 1600
    longer_run = RunFolder.open(runs[0])
    longer_run.append_metrics(801, {"train/loss": np.array([0.25, 0.5])})
    rows = [read_row(run) for run in runs]
    num_read.clear()
    after = reader.read(rows, "common")
    assert sum(num_read) == 2
    steps, metrics = longer_run.metrics()
    for known, expected in zip(after.runs[0].training, (steps, smoothed(metrics["train/loss"])), strict=True):
        np.testing.assert_array_equal(known, expected)
    np.testing.assert_array_equal(after.runs[1].training[1], before.runs[1].training[1])
    assert after.runs[1].probe is before.runs[1].probe  # its sentences were not read again, either


def test_a_truncated_run_is_read_again(runs: list[Path]) -> None:
    reader = RunsReader()
    reader.read([read_row(run) for run in runs], "common")
    folder = RunFolder.open(runs[0])
    truncate_run(folder, 100)
    validation = ValidationDone(step=100, metrics={"valid/loss": 9.0}, sentences=(), is_best=False)
    folder.write_validation(validation)
    (run, _) = reader.read([read_row(run) for run in runs], "common").runs
    assert run.training[0][-1] == 100 and run.validation[0][-1] == 100 and run.validation[1][-1] == 9.0


def test_a_step_is_common_to_all_runs_or_the_newest_of_each() -> None:
    known = [[0, 5, 10, 20], [0, 5, 10, 15], [0, 5]]
    assert steps_to_read("common", known) == [5, 5, 5]
    assert steps_to_read("newest", [*known, []]) == [20, 15, 5, None]
    assert steps_to_read(10, known) == [10, 10, None]
    assert steps_to_read("common", [*known, []]) == [None] * 4


def test_probe_and_validation_are_those_of_the_chosen_step(runs: list[Path]) -> None:
    rows, folder = [read_row(run) for run in runs], RunFolder.open(runs[0])
    step = sorted({*folder.probe_steps()} & {*folder.validation_steps()})[0]
    (runs[1] / "validations" / f"{step:06d}.jsonl").unlink()
    comparison = RunsReader().read(rows, step)
    assert [run.probe.step for run in comparison.runs if run.probe is not None] == [step, step]
    assert [run.validated_at for run in comparison.runs] == [step, None]
    assert comparison.runs[0].validated == folder.validated_sentences(step) and comparison.runs[1].validated == ()
    assert list(comparison.steps) == sorted({*folder.probe_steps(), *folder.validation_steps()}, reverse=True)


def test_runs_whose_losses_are_of_the_same_tokens_are_grouped(runs: list[Path]) -> None:
    rows = [read_row(run) for run in runs]
    reader = RunsReader()
    assert reader.read(rows, "common").same_tokens == ((0, 1),)
    other = RunFolder.open(runs[1])
    vocabulary = other.vocabulary()
    vocabulary["dataset"]["tokenizer"]["tgt"] = "characters"
    other.write_vocabulary(vocabulary)
    alike = read_row(Path(shutil.copytree(runs[0], runs[0].with_name("c"))))
    assert RunsReader().read([*rows, alike], "common").same_tokens == ((0, 2), (1,))
    (runs[1] / "vocabulary.json").write_text("torn")
    assert RunsReader().read(rows, "common").same_tokens == ((0,),)  # unknown if it cannot be read
