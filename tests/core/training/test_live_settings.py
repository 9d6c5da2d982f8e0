"""Settings changed during a run: validated, effective at once, and restored in order."""

from __future__ import annotations

import pytest

from core.config import RunConfig
from core.errors import UserError
from core.training.live_settings import LiveSettings

RATE = "training.optimizer.learning_rate"


def settings() -> LiveSettings:
    return LiveSettings(RunConfig.model_validate({"dataset": {"plugin": "copy_task"}}))


def test_changes_take_effect_at_once_and_are_recorded_with_their_step() -> None:
    live = settings()
    live.change(5, RATE, 0.1)
    live.change(7, "training.early_stopping", {"patience": 2})
    assert live.config.training.optimizer.learning_rate == 0.1
    assert live.config.training.early_stopping is not None and live.config.training.early_stopping.patience == 2
    assert [(step, key) for step, key, _ in live.changes] == [(5, RATE), (7, "training.early_stopping")]


def test_restoring_removes_later_changes() -> None:
    live = settings()
    live.change(5, RATE, 0.1)
    live.change(9, "training.max_steps", 7)
    live.restore([(5, RATE, 0.1)])
    assert live.config.training.optimizer.learning_rate == 0.1 and live.config.training.max_steps == 1000
    assert live.changes == [(5, RATE, 0.1)]


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        (RATE, -1.0, "learning_rate"),
        (RATE, "fast", "learning_rate"),
        ("seed", 3, "seed cannot change during a run"),
        ("training.batch_size", 64, "training.batch_size cannot change during a run"),
        ("training.no_such_key", 1, "training.no_such_key: unknown key"),
    ],
)
def test_an_invalid_change_is_refused_and_has_no_effect(key: str, value: object, sentence: str) -> None:
    live = settings()
    before = live.config
    with pytest.raises(UserError, match=sentence):
        live.change(1, key, value)
    assert live.config is before and live.changes == []
