"""The session between two turns of its work, where the engine's thread alone could not be held still."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.events import RunFinished, StateChanged, Trouble
from core.plugins_host.host import PluginHost
from core.requests import Prepare, Start
from core.run_folder import RunFolder
from core.session import Session
from tests.core.watcher import Watcher, tiny_config

WILD = {
    "optimizer": {"name": "sgd", "learning_rate": 100.0, "momentum": 0.99},
    "schedule": {"name": "constant", "warmup_steps": 0},
    "max_grad_norm": None,
    "max_steps": 1000,
    "checkpoint_every": 5,
}


def test_a_stop_just_after_a_step_that_was_not_finite_ends_the_run_as_diverged(tmp_path: Path) -> None:
    watcher = Watcher()
    with PluginHost() as host:
        session = Session(watcher, host, tmp_path / "cache")
        for _ in session.prepare(Prepare(config=tiny_config(**WILD))):
            pass
        run = session.start(Start(runs_dir=tmp_path / "runs"))
        learning = session.learn(None)
        while not session._require_trainer().has_diverged:
            next(learning)
        learning.close()
        assert session.stop() == run
        session.close()
    folder, finished = RunFolder.open(run), watcher.all(RunFinished)[-1]
    assert (finished.reason, folder.state.state, folder.state.reason) == ("diverged", "failed", "diverged")
    assert finished.step == watcher.all(StateChanged)[-1].step == folder.last_trained_step()
    assert f"at step {finished.step + 1}" in watcher.wait(Trouble).sentence
    last = folder.checkpoint_steps()[-1]
    assert last <= finished.step and last % 5 == 0  # none beyond those that were due
    assert all(np.isfinite(array).all() for array in folder.checkpoint(last).model.values())
