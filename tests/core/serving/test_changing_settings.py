"""Changing a setting of a run takes effect between two steps."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest

from core.engine import Engine
from core.errors import UserError
from core.events import SettingChanged
from core.requests import ChangeSetting, Learn, OpenRun
from core.run_folder import RunFolder
from tests.core.serving.running import finished_run
from tests.core.watcher import Watcher, answered, begun

pytestmark = pytest.mark.usefixtures("tiny_data_at_hand")


def test_a_change_takes_effect_between_two_steps_and_fixed_settings_are_refused(
    engine: Engine, watcher: Watcher, tmp_path: Path
) -> None:
    run = begun(engine, tmp_path, schedule={"name": "constant", "warmup_steps": 0})
    answered(engine, Learn(steps=5))
    answered(engine, ChangeSetting(key="training.optimizer.learning_rate", value=0.25))
    answered(engine, Learn(steps=5))
    folder = RunFolder.open(run)
    rates = folder.metrics()[1]["train/learning_rate"]
    assert rates[4] == pytest.approx(1e-3)
    assert rates[5] == pytest.approx(0.25)
    changed = SettingChanged(step=5, key="training.optimizer.learning_rate", value=0.25)
    assert watcher.all(SettingChanged) == folder.settings_changed() == [changed]
    for key, value, reason in (
        ("model.d_model", 32, "model.d_model cannot change during a run"),
        ("training.optimizer.learning_rate", -1, "training.optimizer.learning_rate: expected more than 0, given -1"),
        ("training.nothing", 1, "training.nothing: unknown key"),
    ):
        with pytest.raises(UserError, match=re.escape(reason)):
            answered(engine, ChangeSetting(key=key, value=value))


def test_a_change_to_an_opened_run_is_stored_when_the_run_continues(engine: Engine, tmp_path: Path) -> None:
    run = finished_run(engine, tmp_path)
    answered(engine, OpenRun(run=run))
    before = (run / "metrics.jsonl").read_bytes()
    answered(engine, ChangeSetting(key="training.max_steps", value=70))
    assert (run / "metrics.jsonl").read_bytes() == before
    answered(engine, Learn())
    assert RunFolder.open(run).metrics()[0][-1] == 70


@pytest.mark.parametrize("asks_more", [False, True])
def test_changes_that_a_full_disk_refused_are_stored_when_the_run_continues(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asks_more: bool
) -> None:
    run, append, rate = finished_run(engine, tmp_path), RunFolder.append_setting, "training.optimizer.learning_rate"
    answered(engine, OpenRun(run=run))
    answered(engine, ChangeSetting(key="training.max_steps", value=70))
    answered(engine, ChangeSetting(key=rate, value=0.25))

    def find_no_room(folder: RunFolder, changed: SettingChanged) -> None:
        if changed.key == rate:
            raise OSError(errno.ENOSPC, "No space left on device")
        append(folder, changed)

    with monkeypatch.context() as full, pytest.raises(UserError, match="No space left"):
        full.setattr(RunFolder, "append_setting", find_no_room)
        answered(engine, Learn())
    if asks_more:
        answered(engine, ChangeSetting(key=rate, value=0.5))
    answered(engine, Learn())
    folder, rates = RunFolder.open(run), [0.25, 0.5] if asks_more else [0.25]
    assert [changed.value for changed in folder.settings_changed()] == [70, *rates]
    assert folder.latest_config().training.optimizer.learning_rate == rates[-1]
