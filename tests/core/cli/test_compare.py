"""`runs compare`, run in this process."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from core import cli
from core.config import RunConfig
from core.events import SettingChanged, ValidationDone
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


def stdout_of(runs_dir: Path, capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(["runs", "compare", *arguments, "--runs-dir", str(runs_dir)]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    return str(out)


def test_only_differing_settings_are_shown_with_the_metrics_of_the_best_step(
    runs_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = [line.split() for line in stdout_of(runs_dir, capfd, "a", "b", "c").splitlines()]
    assert rows == [
        ["run", "a", "b", "c"],
        ["state", "stopped", "stopped", "stopped"],
        ["last_step", "20", "20", "0"],
        ["best_step", "20", "10", "–"],
        ["name", "a", "b", "c"],
        ["model.num_heads", "4", "8", "4"],
        ["valid/loss", "0.25", "0.125", "–"],
    ]
    assert "model.num_heads" not in stdout_of(runs_dir, capfd, "a", "c")


def test_a_single_run_is_shown_with_the_settings_that_are_not_defaults(
    runs_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Settings that can be auto are left out, as a run does not store whether they were chosen; subwords are shown."""
    document = {"dataset": {"plugin": "copy_task", "tokenizer": {"src": "whitespace"}}, "seed": 7}
    RunFolder.open(runs_dir / "a").write_config(RunConfig.model_validate(document))
    rows = [line.split() for line in stdout_of(runs_dir, capfd, "a").splitlines()]
    assert rows[4:] == [
        ["valid/loss", "0.25"],
        ["name", "copy_task"],
        ["seed", "7"],
        ["dataset.plugin", "copy_task"],
    ]
    document["dataset"] = {"plugin": "copy_task", "tokenizer": {"src": "subword", "tgt": "subword", "size": 500}}
    RunFolder.open(runs_dir / "a").write_config(RunConfig.model_validate(document))
    RunFolder.open(runs_dir / "a").append_setting(SettingChanged(step=2, key="training.probe_every", value=5))
    rows = [line.split() for line in stdout_of(runs_dir, capfd, "a").splitlines()]
    assert rows[8:] == [
        ["dataset.tokenizer.src", "subword"],
        ["dataset.tokenizer.tgt", "subword"],
        ["dataset.tokenizer.size", "500"],
        ["training.probe_every", "auto,", "5", "after", "step", "2"],
    ]


def test_true_and_false_are_written_as_in_yaml(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    document = {"dataset": {"plugin": "copy_task"}, "model": {"bias": False}}
    RunFolder.open(runs_dir / "c").write_config(RunConfig.model_validate(document))
    rows = [line.split() for line in stdout_of(runs_dir, capfd, "a", "c").splitlines()]
    assert ["model.bias", "true", "false"] in rows
    records = [json.loads(line) for line in stdout_of(runs_dir, capfd, "a", "c", "--json").splitlines()]
    assert [record["model.bias"] for record in records] == [True, False]


def test_csv_and_json_have_a_row_or_object_for_each_run(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    table = list(csv.DictReader(stdout_of(runs_dir, capfd, "a", "b", "--csv").splitlines()))
    assert [(row["run"], row["model.num_heads"], row["valid/loss"]) for row in table] == [
        ("a", "4", "0.25"),
        ("b", "8", "0.125"),
    ]
    records = [json.loads(line) for line in stdout_of(runs_dir, capfd, "a", "b", "--json").splitlines()]
    assert [(one["run"], one["model.num_heads"], one["valid/loss"]) for one in records] == [
        ("a", 4, 0.25),
        ("b", 8, 0.125),
    ]


def test_the_number_of_sentences_is_given_if_not_all_were_decoded(
    trained_runs: Path, workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    records = [json.loads(line) for line in stdout_of(trained_runs, capfd, "short", "long", "--json").splitlines()]
    counts = [{name: one[name] for name in ("valid_sentences", "decoded_sentences")} for one in records]
    assert counts == [{"valid_sentences": 300, "decoded_sentences": 256}] * 2
    rows = [line.split() for line in stdout_of(trained_runs, capfd, "short", "long").splitlines()]
    assert ["decoded_sentences", "256", "256"] in rows
    assert "sentences" not in stdout_of(workspace, capfd, "run")


def test_comparing_losses_over_different_tokens_gives_a_warning(
    trained_runs: Path, other_tokens: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["runs", "compare", "short", "long", other_tokens.name, "--runs-dir", str(trained_runs)]) == 0
    assert capfd.readouterr().err == (
        "warning: (short, long) and characters have different target tokens: loss, perplexity, token_accuracy, "
        "token_error_rate are per token, and say nothing side by side; the others are of whole texts\n"
    )


def test_means_have_the_number_of_sentences_of_their_runs(
    trained_runs: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for seed, name in enumerate(("a", "b")):
        run = RunFolder.open(shutil.copytree(trained_runs / "short", tmp_path / name))
        run.write_config(run.config().model_copy(update={"seed": seed}))
    table = list(csv.DictReader(stdout_of(tmp_path, capfd, "a", "b", "--csv").splitlines()))
    assert [row["run"] for row in table] == ["a", "b", "mean of 2", "standard deviation"]
    counts = [(row["valid_sentences"], row["decoded_sentences"]) for row in table]
    assert counts == [*[("300", "256")] * 3, ("", "")]  # a count has no deviation


def test_a_damaged_vocabulary_does_not_prevent_comparing_the_rest(
    trained_runs: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("short", "long"):
        shutil.copytree(trained_runs / name, tmp_path / name)
    (tmp_path / "long" / "vocabulary.json").write_text("{}", encoding="utf-8")
    rows = [line.split() for line in stdout_of(tmp_path, capfd, "short", "long").splitlines()]
    assert ["decoded_sentences", "256", "–"] in rows and rows[-1][0] == "valid/token_error_rate"


def test_a_groups_mean_and_deviation_come_last(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for seed, name in enumerate(("a", "b")):
        run = RunFolder.open(runs_dir / name)
        run.write_config(RunFolder.open(runs_dir / "a").config().model_copy(update={"seed": seed}))
        run.update(group="three_seeds")
    table = list(csv.DictReader(stdout_of(runs_dir, capfd, "a", "b", "c", "--csv").splitlines()))
    assert [(row["run"], row["group"]) for row in table] == [
        ("a", "three_seeds"),
        ("b", "three_seeds"),
        ("c", ""),
        ("mean of 2", "three_seeds"),
        ("standard deviation", "three_seeds"),
    ]
    assert [float(row["valid/loss"]) for row in table[3:]] == pytest.approx([0.1875, 0.125 / 2**0.5])
    assert "mean of 2" in stdout_of(runs_dir, capfd, "a", "b") and "mean" not in stdout_of(runs_dir, capfd, "a", "c")
