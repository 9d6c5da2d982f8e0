"""`runs compare --paired-bootstrap` over real runs, in this process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core import cli
from core.config import RunConfig
from core.engine import Engine
from core.requests import Learn, Prepare, Start
from tests.core.watcher import answered, tiny_config


@pytest.fixture(scope="module")
def runs_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Three runs that have learnt a little: two on the same data, one on other data."""
    folder = tmp_path_factory.mktemp("runs")
    with Engine(cache_dir=folder / "cache") as engine:
        for name, seed, data_seed, steps in (("short", 0, 0, 5), ("long", 1, 0, 60), ("other", 0, 1, 5)):
            document = tiny_config(seed, max_steps=steps, validate_every=steps, checkpoint_every=steps).model_dump()
            document["dataset"]["seed"] = data_seed
            document["decoding"]["max_length"] = 3  # leaves no four-grams: BLEU is of shorter ones
            answered(engine, Prepare(config=RunConfig.model_validate(document)))
            answered(engine, Start(runs_dir=folder, run_dir=folder / name))
            answered(engine, Learn())
    yield folder


def said(runs_dir: Path, capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(["runs", "compare", *arguments, "--paired-bootstrap", "--runs-dir", str(runs_dir)]) == 0
    out, _ = capfd.readouterr()
    return str(out)


def test_both_runs_are_evaluated_and_tested(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    records = [
        json.loads(line) for line in said(runs_dir, capfd, "short", "long", "--split", "test", "--json").splitlines()
    ]
    assert [one["metric"] for one in records] == [
        *("bleu", "tokenized_bleu", "chrf", "exact_match", "token_error_rate")
    ]
    chrf = records[2]
    assert (chrf["first"], chrf["second"], chrf["split"]) == ("short", "long", "test")
    assert chrf["first_score"] != chrf["second_score"] and 0 < chrf["p"] <= 1 and "seed:12345" in chrf["signature"]
    greedy, beam = (evaluated(runs_dir, capfd, *options) for options in ((), ("--beam-size", "4")))
    assert chrf["sentences"] == greedy["sentences"]
    assert beam["chrf"] != greedy["chrf"] and beam["loss"] == greedy["loss"]


@pytest.mark.parametrize("options", [(), ("--beam-size", "4", "--length-penalty", "2", "--checkpoint", "last")])
def test_what_is_tested_is_what_evaluate_reports(
    runs_dir: Path, capfd: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    arguments = ("long", "short", "--split", "test", "--json", *options)
    records = [json.loads(line) for line in said(runs_dir, capfd, *arguments).splitlines()]
    reported = evaluated(runs_dir, capfd, *options, run="long")
    assert {one["metric"]: one["first_score"] for one in records} == pytest.approx(
        {one["metric"]: reported[one["metric"]] for one in records}
    )
    assert reported["bleu"] > 0, "of targets of three tokens"


def evaluated(runs_dir: Path, capfd: pytest.CaptureFixture[str], *options: str, run: str = "short") -> dict[str, Any]:
    assert cli.main(["evaluate", run, "--split", "test", "--json", *options, "--runs-dir", str(runs_dir)]) == 0
    record: dict[str, Any] = json.loads(capfd.readouterr().out)
    return record


def test_a_person_reads_it(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = said(runs_dir, capfd, "long", "long").splitlines()
    assert "drawn 1,000 times with replacement" in lines[0] and lines[1].startswith("long at step 60: bleu ")
    assert lines[-2].startswith("exact_match: p = 1.0000 (")
    assert lines[-1].startswith("token_error_rate, lower is better: p = 1.0000 (")


@pytest.mark.parametrize(
    ("runs", "sentence"),
    [
        (("short", "other"), "headlight: short and other have different valid splits: sentence 1 is not the same."),
        (("short",), "headlight: --paired-bootstrap compares two runs, given 1."),
    ],
)
def test_what_cannot_be_compared_is_refused(
    runs_dir: Path, capfd: pytest.CaptureFixture[str], runs: tuple[str, ...], sentence: str
) -> None:
    assert cli.main(["runs", "compare", *runs, "--paired-bootstrap", "--runs-dir", str(runs_dir)]) == 2
    out, err = capfd.readouterr()
    assert out == "" and err.startswith(sentence) and len(err.splitlines()) == 1
