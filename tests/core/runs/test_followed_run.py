"""Following a run reads from its folder what its engine emitted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.engine import Engine
from core.events import Prepared
from core.history import History
from core.requests import ChangeSetting, Learn, Prepare, Start
from core.resuming import truncate_run
from core.run_folder import RunFolder
from core.runs.followed_run import read_followed_run
from core.settings.overriding import change_settings
from tests.core.watcher import Watcher, answered, begun, tiny_config

pytestmark = pytest.mark.usefixtures("engines_share_a_host")


def test_reading_the_folder_gives_what_the_engine_emitted(tmp_path: Path) -> None:
    watcher = Watcher()
    with Engine([watcher]) as engine:
        run = begun(engine, tmp_path)
        answered(engine, Learn(steps=2))
        answered(engine, ChangeSetting(key="training.max_steps", value=70))
        history = read_followed_run(RunFolder.open(run))
    emitted = watcher.wait(Prepared)
    assert history.prepared is not None and history.last_step == 2
    assert history.prepared.config.training.max_steps == 70
    expected = replace(emitted, picked="")  # only emitted, not stored
    assert replace(history.prepared, config=emitted.config, run=None) == expected


def test_its_settings_follow_those_changed_while_it_is_followed(tmp_path: Path) -> None:
    with Engine() as engine:
        run = begun(engine, tmp_path)
        answered(engine, Learn(steps=2))
        history = read_followed_run(folder := RunFolder.open(run))
        answered(engine, ChangeSetting(key="training.max_steps", value=70))
        assert _max_steps(history) == 60
        assert history.refresh() and _max_steps(history) == 70
        truncate_run(folder, 2)  # which another process does that goes on from a checkpoint
        assert history.refresh() and _max_steps(history) == 70
        truncate_run(folder, 2, {"setting": 0})
        assert history.refresh() and _max_steps(history) == 60


def _max_steps(history: History) -> int:
    assert history.prepared is not None
    return history.prepared.config.training.max_steps


def test_lowering_the_maximum_length_keeps_the_models_positions(tmp_path: Path) -> None:
    longer = {"model.positions": "learned", "decoding.max_length": 40}
    with Engine() as engine:
        emitted = answered(engine, Prepare(config=change_settings(tiny_config(), longer)))
        run = answered(engine, Start(runs_dir=tmp_path))
        answered(engine, ChangeSetting(key="decoding.max_length", value=4))
        read = read_followed_run(RunFolder.open(run)).prepared
    assert read is not None and read.num_parameters == emitted.num_parameters
