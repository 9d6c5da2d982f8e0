"""`runs compare` over run folders, run in this process."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from core import cli
from core.config import RunConfig
from core.events import ValidationDone
from core.run_folder import RunFolder


@pytest.fixture
def runs_dir(tmp_path: Path) -> Path:
    """Two runs with validations that differ in two settings, and one that has none yet."""
    for name, heads, losses in (("a", 4, {10: 0.5, 20: 0.25}), ("b", 8, {10: 0.125, 20: 0.75}), ("c", 4, {})):
        run = RunFolder.create_at(tmp_path / name)
        document = {"dataset": {"plugin": "copy_task"}, "name": name, "model": {"num_heads": heads}}
        run.write_config(RunConfig.model_validate(document))
        for step, loss in losses.items():
            run.write_validation(ValidationDone(step=step, metrics={"valid/loss": loss}, sentences=(), is_best=False))
        best = min(losses, key=losses.__getitem__, default=None)
        run.update(last_step=max(losses, default=0), best_step=best)
        run.release("stopped", "stopped")
    return tmp_path


def said(runs_dir: Path, capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(["runs", "compare", *arguments, "--runs-dir", str(runs_dir)]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    return str(out)


def test_only_what_differs_is_shown_with_the_figures_of_the_best_step(
    runs_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = [line.split() for line in said(runs_dir, capfd, "a", "b", "c").splitlines()]
    assert rows == [
        ["run", "a", "b", "c"],
        ["state", "stopped", "stopped", "stopped"],
        ["last_step", "20", "20", "0"],
        ["best_step", "20", "10", "-"],
        ["name", "a", "b", "c"],
        ["model.num_heads", "4", "8", "4"],
        ["valid/loss", "0.25", "0.125", "-"],
    ]
    assert "model.num_heads" not in said(runs_dir, capfd, "a", "c")


def test_other_programs_read_a_row_or_an_object_a_run(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    table = list(csv.DictReader(said(runs_dir, capfd, "a", "b", "--csv").splitlines()))
    assert [(row["run"], row["model.num_heads"], row["valid/loss"]) for row in table] == [
        ("a", "4", "0.25"),
        ("b", "8", "0.125"),
    ]
    records = [json.loads(line) for line in said(runs_dir, capfd, "a", "b", "--json").splitlines()]
    assert [(one["run"], one["model.num_heads"], one["valid/loss"]) for one in records] == [
        ("a", 4, 0.25),
        ("b", 8, 0.125),
    ]


def test_a_groups_mean_and_deviation_come_last(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for seed, name in enumerate(("a", "b")):
        run = RunFolder.open(runs_dir / name)
        run.write_config(run.config().model_copy(update={"seed": seed}))
        run.update(group="three_seeds")
    table = list(csv.DictReader(said(runs_dir, capfd, "a", "b", "c", "--csv").splitlines()))
    assert [(row["run"], row["group"]) for row in table] == [
        ("a", "three_seeds"),
        ("b", "three_seeds"),
        ("c", ""),
        ("mean of 2", "three_seeds"),
        ("standard deviation", "three_seeds"),
    ]
    assert [float(row["valid/loss"]) for row in table[3:]] == pytest.approx([0.1875, 0.125 / 2**0.5])
    assert "mean of 2" in said(runs_dir, capfd, "a", "b") and "mean" not in said(runs_dir, capfd, "a", "c")
