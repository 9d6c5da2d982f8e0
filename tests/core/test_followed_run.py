"""What the folder of a run tells of it is what its engine said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.engine import Engine
from core.events import Prepared
from core.followed_run import read_followed
from core.requests import ChangeSetting, Learn
from core.run_folder import RunFolder
from tests.core.watcher import Watcher, answered, begun


def test_a_folder_tells_what_the_engine_said(tmp_path: Path) -> None:
    watcher = Watcher()
    with Engine([watcher]) as engine:
        run = begun(engine, tmp_path)
        answered(engine, Learn(steps=2))
        answered(engine, ChangeSetting(key="training.max_steps", value=70))
        history = read_followed(RunFolder.open(run))
    said = watcher.wait(Prepared)
    assert history.prepared is not None and history.last_step == 2
    assert history.prepared.config.training.max_steps == 70
    assert replace(history.prepared, config=said.config, run=None) == replace(said, picked="")  # told where it is new
