"""The settings that distinguish runs: those they began with, and later changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core import cli
from core.config import RunConfig
from core.events import SettingChanged
from core.run_folder import RunFolder
from tests.core.examples import validation

RATE, STOP_SIGNALS = "training.optimizer.learning_rate", "training.early_stopping"


def run(runs_dir: Path, name: str, *changed: tuple[int, str, object], rate: float = 0.003) -> None:
    """Write a run that began with this learning rate, with these later changes of settings."""
    folder = RunFolder.create_at(runs_dir / name)
    document = {"dataset": {"plugin": "copy_task"}, "training": {"optimizer": {"learning_rate": rate}}}
    folder.write_config(RunConfig.model_validate(document))
    for step, key, value in changed:
        folder.append_setting(SettingChanged(step=step, key=key, value=value))
    folder.release("stopped", "stopped")


@pytest.mark.parametrize(
    ("key", "changed", "expected"),
    [
        (RATE, [(300, RATE, 0.0003)], "0.003, 0.0003 after step 300"),
        (RATE, [(300, RATE, 0.001), (300, RATE, 0.0003)], "0.003, 0.0003 after step 300"),  # changed twice at one step
        (RATE, [(300, RATE, 0.0003), (1500, RATE, 0.003)], "0.003, 0.0003 after step 300, 0.003 after step 1,500"),
        (RATE, [(0, RATE, 0.0003)], 0.0003),  # changed before the first step
        (f"{STOP_SIGNALS}.patience", [(7, STOP_SIGNALS, {"patience": 4})], "–, 4 after step 7"),
    ],
)
def test_a_setting_changed_during_a_run_is_shown_as_a_difference(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    key: str,
    changed: list[tuple[int, str, object]],
    expected: object,
) -> None:
    run(tmp_path, "parent")
    run(tmp_path, "child", *changed)
    assert cli.main(["runs", "compare", "parent", "child", "--json", "--runs-dir", str(tmp_path)]) == 0
    parent, child = (json.loads(line) for line in capfd.readouterr().out.splitlines())
    assert (parent[key], child[key]) == ({RATE: 0.003}.get(key), expected)


def test_the_same_changes_in_all_runs_are_no_difference(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name, rate in (("a", 0.003), ("b", 0.003), ("c", 0.0003)):
        run(tmp_path, name, (0, RATE, 0.0003), (9, RATE, 0.001), rate=rate)
    assert cli.main(["runs", "compare", "a", "b", "c", "--runs-dir", str(tmp_path)]) == 0
    assert RATE not in capfd.readouterr().out


def test_the_untrained_model_may_be_the_best(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, "worse")
    folder = RunFolder.open(tmp_path / "worse")
    for step, loss in ((0, 2.5), (40, 7.5)):
        folder.write_validation(validation(step, loss=loss))
    folder.update(best_step=0, best_value=2.5)
    assert cli.main(["runs", "compare", "worse", "--json", "--runs-dir", str(tmp_path)]) == 0
    record = json.loads(capfd.readouterr().out)
    assert (record["best_step"], record["valid/loss"]) == (0, 2.5)


def test_a_killed_run_is_shown_as_interrupted_as_in_the_list(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, "killed")
    RunFolder.open(tmp_path / "killed").update(state="learning", pid=None)
    assert cli.main(["runs", "compare", "killed", "--json", "--runs-dir", str(tmp_path)]) == 0
    assert json.loads(capfd.readouterr().out)["state"] == "interrupted"
