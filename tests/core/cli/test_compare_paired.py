"""`runs compare --paired-bootstrap` on trained runs, run in this process."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from core import cli


def stdout_of(trained_runs: Path, capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(["runs", "compare", *arguments, "--paired-bootstrap", "--runs-dir", str(trained_runs)]) == 0
    out, _ = capfd.readouterr()
    return str(out)


def test_both_runs_are_evaluated_and_tested(trained_runs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    records = [
        json.loads(line)
        for line in stdout_of(trained_runs, capfd, "short", "long", "--split", "test", "--json").splitlines()
    ]
    assert [one["metric"] for one in records] == [
        *("bleu", "tokenized_bleu", "chrf", "exact_match", "token_error_rate")
    ]
    chrf = records[2]
    assert (chrf["first"], chrf["second"], chrf["split"]) == ("short", "long", "test")
    assert chrf["first_score"] != chrf["second_score"] and 0 < chrf["p"] <= 1 and "seed:12345" in chrf["signature"]
    greedy, beam = (evaluate(trained_runs, capfd, *options) for options in ((), ("--beam-size", "4")))
    assert chrf["sentences"] == greedy["sentences"]
    assert beam["chrf"] != greedy["chrf"] and beam["loss"] == greedy["loss"]


@pytest.mark.parametrize("options", [(), ("--beam-size", "4", "--length-penalty", "2", "--checkpoint", "last")])
def test_the_tested_scores_are_those_of_evaluate(
    trained_runs: Path, capfd: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    arguments = ("long", "short", "--split", "test", "--json", *options)
    records = [json.loads(line) for line in stdout_of(trained_runs, capfd, *arguments).splitlines()]
    reported = evaluate(trained_runs, capfd, *options, run="long")
    assert {one["metric"]: one["first_score"] for one in records} == pytest.approx(
        {one["metric"]: reported[one["metric"]] for one in records}
    )
    assert reported["bleu"] > 0, "BLEU must not be 0 because targets have only three tokens"


def evaluate(
    trained_runs: Path, capfd: pytest.CaptureFixture[str], *options: str, run: str = "short"
) -> dict[str, Any]:
    assert cli.main(["evaluate", run, "--split", "test", "--json", *options, "--runs-dir", str(trained_runs)]) == 0
    record: dict[str, Any] = json.loads(capfd.readouterr().out)
    return record


def test_metrics_over_different_tokens_are_not_compared(
    trained_runs: Path, other_tokens: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    arguments = ["runs", "compare", "short", other_tokens.name, "--paired-bootstrap", "--json"]
    assert cli.main([*arguments, "--runs-dir", str(trained_runs)]) == 0
    out, err = capfd.readouterr()
    metrics = [json.loads(line)["metric"] for line in out.splitlines()]
    assert metrics == ["bleu", "tokenized_bleu", "chrf", "exact_match"]
    assert "warning: short and characters have different target tokens:" in err


def test_the_result_is_printed_as_text(trained_runs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(trained_runs / "long", trained_runs / "copy")
    lines = stdout_of(trained_runs, capfd, "long", "copy").splitlines()
    assert "drawn 1,000 times with replacement" in lines[0] and lines[1].startswith("long at step 60: bleu ")
    assert lines[-2].startswith("exact_match: p = 1.0000 (")
    assert lines[-1].startswith("token_error_rate, lower is better: p = 1.0000 (")


def test_averaged_checkpoints_and_too_few_sentences_are_reported(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(workspace / "run", workspace / "again")
    arguments = ["run", "again", "--checkpoint", "last", "--paired-bootstrap", "--runs-dir", str(workspace)]
    assert cli.main(["runs", "compare", *arguments]) == 0
    out, err = capfd.readouterr()
    lines = out.splitlines()
    assert (
        lines[0].startswith("4 sentences of the valid split")
        and "4 sentences are too few to tell the runs apart" in err
    )
    assert lines[1].startswith("run at steps 10, 20, averaged: bleu ")


@pytest.mark.parametrize(
    ("runs", "sentence"),
    [
        (("short", "other"), "headlight: short and other have different valid splits: sentence 1 is not the same."),
        (("short",), "headlight: --paired-bootstrap compares two runs, given 1."),
        (
            ("short", "long", "--checkpoint", "5"),
            "headlight: {runs}/long has no checkpoint '5' (there are: best, last, 0,",
        ),
        (("short", "short"), "headlight: {runs}/short is named twice: a paired test is of two."),
    ],
)
def test_runs_that_cannot_be_compared_are_refused(
    trained_runs: Path, capfd: pytest.CaptureFixture[str], runs: tuple[str, ...], sentence: str
) -> None:
    assert cli.main(["runs", "compare", *runs, "--paired-bootstrap", "--runs-dir", str(trained_runs)]) == 2
    out, err = capfd.readouterr()
    assert out == "" and err.startswith(sentence.format(runs=trained_runs)) and len(err.splitlines()) == 1
