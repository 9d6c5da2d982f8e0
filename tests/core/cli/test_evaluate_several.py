"""`evaluate` of several runs: figures as for a single run, then the mean and standard deviation of common ones."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from statistics import fmean, stdev
from subprocess import CompletedProcess
from typing import Any

import pytest

from core.config import RunConfig, config_to_yaml
from core.run_folder import RunFolder
from tests.core.watcher import tiny_config
from tests.in_process import run_headlight

NO_FIGURES = {"run", "split", "checkpoint", "sentences", "bleu_signature", "chrf_signature", "decoding"}
NO_FIGURES |= {"tokenized_bleu_signature", "metrics", "seconds", "left_out", "plugin_left_out", "is_valid_again"}
NO_FIGURES |= {"other_pairs"}


def evaluate(runs_dir: Path, *arguments: object) -> CompletedProcess[str]:
    return run_headlight("evaluate", *arguments, "--runs-dir", runs_dir, cwd=runs_dir)


def records(result: CompletedProcess[str]) -> list[dict[str, Any]]:
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_the_last_object_has_mean_and_deviation_of_every_figure(trained_runs: Path) -> None:
    *runs, last = records(evaluate(trained_runs, "short", "long", "--split", "test", "--beam-size", 2, "--json"))
    for run in runs:
        (record,) = records(evaluate(trained_runs, run["run"], "--split", "test", "--beam-size", 2, "--json"))
        assert run | {"seconds": 0} == record | {"seconds": 0}, "a run must have the same figures when evaluated alone"
    assert [Path(run["run"]).name for run in runs] == ["short", "long"]
    assert last["event"] == "evaluations_finished" and last["runs"] == [run["run"] for run in runs]
    assert (last["split"], last["sentences"]) == ("test", runs[0]["sentences"])
    figures = [run.keys() - NO_FIGURES | run["metrics"].keys() for run in runs]
    assert figures[0] == last["mean"].keys() == last["standard_deviation"].keys()
    for name in figures[0] - runs[0]["metrics"].keys():
        values = [run[name] for run in runs]
        assert last["mean"][name] == pytest.approx(fmean(values)), name
        assert last["standard_deviation"][name] == pytest.approx(stdev(values)), name
    assert last["standard_deviation"]["chrf"] > 0


def test_each_run_is_printed_and_then_the_mean(trained_runs: Path) -> None:
    result = evaluate(trained_runs, "short", "long")
    runs, _, mean = result.stdout.partition("\n\n")
    assert [line for line in runs.splitlines() if line.startswith("run ")] == [
        f"run {trained_runs / name}" for name in ("short", "long")
    ]
    heading, *figures = mean.splitlines()
    assert heading == "mean of 2 runs ± standard deviation, over the same 300 valid sentences"
    losses = [float(line.split()[1]) for line in runs.splitlines() if line.startswith("loss ")]
    name, value, sign, deviation = figures[0].split()
    assert (name, sign) == ("loss", "±") and float(value) == pytest.approx(fmean(losses), rel=1e-4)
    assert float(deviation) == pytest.approx(stdev(losses), rel=0.05)


def test_a_note_about_the_data_of_all_runs_is_printed_once(tmp_path: Path) -> None:
    lines = "".join(f"{number}\t{number % 3}\n" for number in range(40))
    for split in ("train", "valid"):
        (tmp_path / f"{split}.tsv").write_text(lines, encoding="utf-8")
    options = {
        "folder": str(tmp_path),
        "train_source": "train.tsv",
        "valid_source": "valid.tsv",
        "source": 1,
        "target": 2,
    }
    document = tiny_config(max_steps=2).model_dump() | {"dataset": {"plugin": "parallel_text", "options": options}}
    (tmp_path / "run.yaml").write_text(config_to_yaml(RunConfig.model_validate(document)), encoding="utf-8")
    trained = run_headlight("train", "run.yaml", "--run-dir", "first", cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    shutil.copytree(tmp_path / "first", tmp_path / "second")
    result = evaluate(tmp_path, "first", "second")
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("All 40 valid sources are in the train split too.") == 1


def test_runs_with_different_sentences_have_no_mean(trained_runs: Path) -> None:
    result = evaluate(trained_runs, "short", "other", "--json")
    assert result.returncode == 2
    assert [Path(json.loads(line)["run"]).name for line in result.stdout.splitlines()] == ["short", "other"]
    assert result.stderr == (
        "headlight: short and other have different valid splits: sentence 1 is not the same. A mean needs the same "
        "sentences: the same dataset, with the same options, seed and lengths.\n"
    )


def test_metrics_over_different_tokens_have_no_mean(trained_runs: Path, other_tokens: Path) -> None:
    result = evaluate(trained_runs, "short", other_tokens.name, "--json")
    *runs, last = records(result)
    left_out = {"loss", "perplexity", "token_accuracy", "token_error_rate"}
    assert runs[0].keys() & left_out == left_out
    assert (
        last["mean"].keys()
        == last["standard_deviation"].keys()
        == (runs[0].keys() | runs[0]["metrics"].keys()) - NO_FIGURES - left_out
    )
    assert result.stderr == (
        "warning: short and characters have different target tokens: loss, perplexity, token_accuracy, "
        "token_error_rate are per token, and are left out; the others are of whole texts\n"
    )


def test_a_run_that_repeats_another_counts_once(trained_runs: Path, tmp_path: Path) -> None:
    for name in ("short", "long"):
        shutil.copytree(trained_runs / name, tmp_path / name)
        shutil.copytree(trained_runs / name, tmp_path / f"{name} again")
    result = evaluate(tmp_path, "short", "short again", "long", "long again", "--json")
    *runs, last = records(result)
    assert [Path(run["run"]).name for run in runs] == ["short", "short again", "long", "long again"]
    assert [Path(run).name for run in last["runs"]] == ["short", "long"]
    assert last["standard_deviation"]["loss"] == pytest.approx(stdev([runs[0]["loss"], runs[2]["loss"]]))
    assert result.stderr.splitlines() == [
        f"warning: {name} again repeats {name}, seed included: it is left out of the mean, where it would count twice"
        for name in ("short", "long")
    ]
    single = evaluate(tmp_path, "short", "short again", "--json")
    assert (single.returncode, len(single.stdout.splitlines())) == (0, 2)  # no mean: a single run has no deviation
    assert single.stderr.startswith("warning: short again repeats short, seed included: it is left out of the mean")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("short", "long", "--predictions", "said.tsv"), "--predictions said.tsv: a file holds one run's outputs, "),
        (("short", "nowhere"), "nowhere: there is no such run"),
        (("short", "long", "--checkpoint", "5"), "{long} has no checkpoint '5' (there are: best, last, 0, 60)."),
        (("short", "long", "short"), "{short} is named twice: it would count twice in the mean."),
    ],
)
def test_a_run_that_cannot_be_evaluated_is_refused_before_the_first_evaluation(
    trained_runs: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    result = evaluate(trained_runs, *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    expected = sentence.format(short=trained_runs / "short", long=trained_runs / "long")
    assert result.stderr.startswith(f"headlight: {expected}") and len(result.stderr.splitlines()) == 1
    assert not (trained_runs / "said.tsv").exists()


def test_the_new_folder_of_a_corpus_applies_to_all_runs(workspace: Path, moved_corpus: Path) -> None:
    copy = RunFolder.open(shutil.copytree(workspace / "run", moved_corpus / "again"))
    copy.write_config(copy.config().model_copy(update={"seed": 1}))
    *runs, last = records(
        evaluate(
            workspace,
            workspace / "run",
            moved_corpus / "again",
            "--set",
            f"dataset.options.folder={moved_corpus}",
            "--json",
        )
    )
    assert [run["left_out"] for run in runs] == [1, 1]
    assert last["sentences"] == 4 and last["standard_deviation"]["loss"] == 0
