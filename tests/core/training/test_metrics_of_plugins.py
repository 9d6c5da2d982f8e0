"""A plugin's metric that is not finite: the run goes on, its files stay valid JSON, and the fault is reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.run_folder import RunFolder
from tests.core.watcher import tiny_config
from tests.in_process import run_headlight

ODD_PLUGIN = """
from core.plugin import DatasetPlugin, Options, Pair


class Odd(DatasetPlugin[Options]):
    name = "odd"
    title = "Odd"

    def pairs(self, split, rng):
        for _ in range(20):
            yield Pair("a b", "b a")

    def limits(self):
        return {"valid/heard": 1.0}

    def metrics(self, pairs, hypotheses):
        return {"heard": float("VALUE"), "whole": 0.5}


PLUGIN = Odd
"""


def refuse(word: str) -> None:
    raise AssertionError(f"{word} is not JSON")


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_a_metric_that_is_not_finite_is_reported_once_and_the_run_goes_on(tmp_path: Path, value: str) -> None:
    plugin = tmp_path / "plugins" / "odd.py"
    plugin.parent.mkdir()
    plugin.write_text(ODD_PLUGIN.replace("VALUE", value), encoding="utf-8")
    line = plugin.read_text().split("\n").index("    def metrics(self, pairs, hypotheses):") + 1
    config = tiny_config(max_steps=4, validate_every=2, best_metric="valid/heard").model_dump(mode="json")
    config["dataset"] = {"plugin": "odd"}
    (tmp_path / "odd.yaml").write_text(json.dumps(config), encoding="utf-8")
    plugins_dir, run = ("--plugins-dir", plugin.parent), tmp_path / "run"
    trained = run_headlight("train", "odd.yaml", "--run-dir", run, "--json", *plugins_dir, cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    message = (
        f"Plugin 'odd' failed: metrics() gives 'heard' as {value}; expected a finite number ({plugin}, line {line}). "
        "It is recorded as missing: the curve of valid/heard has a gap there, and such a step is never the best by "
        "it. Return 0.0 where there is nothing to count."
    )
    assert trained.stderr.count(message) == 1
    events = [json.loads(text, parse_constant=refuse) for text in trained.stdout.splitlines()]
    validated = [event["metrics"] for event in events if event["event"] == "validation_done"]
    assert [(metrics["valid/heard"], metrics["valid/whole"]) for metrics in validated] == [(None, 0.5)] * 2
    assert [event["limits"] for event in events if event["event"] == "prepared"] == [{"valid/heard": 1.0}]
    lines = [json.loads(text, parse_constant=refuse) for text in (run / "metrics.jsonl").read_text().splitlines()]
    assert [one["valid/heard"] for one in lines if "valid/whole" in one] == [None] * 2
    assert RunFolder.open(run).state.best_step is None
    evaluated = run_headlight("evaluate", run, "--json", *plugins_dir, cwd=tmp_path)
    assert evaluated.returncode == 0 and message in evaluated.stderr
    assert json.loads(evaluated.stdout, parse_constant=refuse)["metrics"] == {"heard": None, "whole": 0.5}
