"""`--minimum-risk` chooses the hypothesis of a beam with the fewest expected errors, in `translate` and `evaluate`."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from core.engine import Engine
from core.requests import Learn
from tests.core.watcher import answered, begun
from tests.in_process import run_headlight

BEAM = ("--beam-size", "5", "--length-penalty", "0")
TEXTS = ("1 2 3", "3 2 1", "1 1 2", "4 3 3", "5 1 4", "2 5 5")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that has learnt the length of outputs, but hardly their tokens."""
    folder = tmp_path_factory.mktemp("runs")
    with Engine(cache_dir=folder / "cache") as engine:
        run = begun(
            engine,
            folder,
            max_steps=150,
            batch_size=32,
            optimizer={"learning_rate": 0.01},
            schedule={"name": "constant"},
        )
        answered(engine, Learn())
    return run


def test_translate_chooses_by_minimum_risk(run: Path) -> None:
    likeliest, nearest = (outputs(translate(run, *BEAM, *more)) for more in ((), ("--minimum-risk",)))
    records = [json.loads(line) for line in outputs(translate(run, *BEAM, "--minimum-risk", "--json"))]
    assert [one["output"] for one in records] == nearest != likeliest
    assert [one["n_best"][0]["output"] for one in records] == likeliest


def test_evaluate_scores_the_minimum_risk_outputs(run: Path) -> None:
    likeliest, nearest = (evaluate(run, *BEAM, *more) for more in ((), ("--minimum-risk",)))
    assert nearest["token_error_rate"] < likeliest["token_error_rate"] and nearest["loss"] == likeliest["loss"]


def test_the_record_holds_the_decoding_options(run: Path) -> None:
    expected = {"beam_size": 5, "length_penalty": 0.0, "max_length": 4, "minimum_risk": True}
    assert evaluate(run, *BEAM, "--minimum-risk")["decoding"] == expected
    assert evaluate(run)["decoding"] == expected | {"beam_size": 1, "length_penalty": 0.6, "minimum_risk": False}
    lines = run_headlight("evaluate", run, *BEAM, "--minimum-risk", cwd=run).stdout.splitlines()
    assert {"beam_size 5", "length_penalty 0", "max_length 4", "minimum_risk True"} <= {*lines}


def test_a_beam_of_one_is_refused(run: Path) -> None:
    sentence = "headlight: Minimum risk has nothing to choose from with a beam of one. Set a larger --beam-size.\n"
    for result in (translate(run, "--minimum-risk"), run_headlight("evaluate", run, "--minimum-risk", cwd=run)):
        assert (result.returncode, result.stdout, result.stderr) == (2, "", sentence)


def translate(run: Path, *options: str) -> CompletedProcess[str]:
    return run_headlight("translate", run, *TEXTS, *options, cwd=run)


def outputs(result: CompletedProcess[str]) -> list[str]:
    return result.stdout.splitlines()


def evaluate(run: Path, *options: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(run_headlight("evaluate", run, "--json", *options, cwd=run).stdout)
    return record
