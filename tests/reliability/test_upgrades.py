"""Promise 12: the format is checked, and runs of every released version open, translate and resume."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from core.engine import Engine
from core.errors import UserError
from core.requests import Learn, OpenRun, Translate
from core.run_folder import RunFolder
from core.version import version
from scripts.golden import GOLDEN, RUNS
from tests.core.watcher import answered
from tests.reliability.cases import Cases
from tests.reliability.hostile_runs import setting
from tests.reliability.small_runs import read_everything

GOLDEN_RUNS = sorted(path for path in GOLDEN.iterdir() if path.is_dir())
MOST_BYTES = 2_000_000
TOLERANCE = 2e-3  # between the probabilities on two machines


def test_this_version_has_golden_runs_and_all_are_small() -> None:
    assert {f"{version()}_{name}" for name in RUNS} <= {path.name for path in GOLDEN_RUNS}
    assert sum(path.stat().st_size for path in GOLDEN.rglob("*") if path.is_file()) < MOST_BYTES


def test_golden_runs_open_translate_and_resume(tmp_path: Path, cases: Cases) -> None:
    with Engine(cache_dir=tmp_path / "cache") as engine:
        for golden in GOLDEN_RUNS:
            with cases.trying(golden.name):
                run = shutil.copytree(golden, tmp_path / golden.name)
                read_everything(run)
                assert_same_outputs(engine, run)
                assert_learns_on(engine, run)


def assert_same_outputs(engine: Engine, run: Path) -> None:
    """Require the probabilities that were probed when the last checkpoint was saved."""
    answered(engine, OpenRun(run=run))
    folder = RunFolder.open(run)
    for probed in folder.probe(folder.state.last_step).sentences:
        (translation,) = answered(engine, Translate(texts=(probed.source,), with_attention=True))
        assert translation.sentence is not None
        new, old = translation.sentence.free_running, probed.free_running
        same_length = len(old.output_probability) == len(new.output_probability)
        assert same_length and np.abs(new.output_probability - old.output_probability).max() < TOLERANCE, probed.source
        assert np.abs(np.float32(new.cross) - np.float32(old.cross)).max() < TOLERANCE


def assert_learns_on(engine: Engine, run: Path) -> None:
    """Require that training continues without a gap, and that the loss stays where it was."""
    before = RunFolder.open(run)
    answered(engine, Learn(steps=10))
    steps, curves = RunFolder.open(run).metrics()
    last = before.state.last_step
    assert steps.tolist() == list(range(1, last + 11))
    loss = curves["train/loss"]
    assert loss[last:].mean() < 1.2 * loss[last - 10 : last].mean()


@pytest.mark.parametrize("name", ["run.json", "config.yaml"])
def test_a_newer_format_is_refused_with_advice(tmp_path: Path, name: str) -> None:
    run = shutil.copytree(GOLDEN_RUNS[0], tmp_path / "run")
    if name == "config.yaml":
        setting("format: 1", "format: 2")(run)
    else:
        record = json.loads((run / name).read_text(encoding="utf-8"))
        del record["checksum"]
        (run / name).write_text(json.dumps(record | {"format": 2}), encoding="utf-8")
    with pytest.raises(UserError, match=rf"{name}.*newer version of Headlight.*format 2.*reads format 1.*up to date"):
        read_everything(run)
