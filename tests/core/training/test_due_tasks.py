"""The tasks due at a step, each until it is done."""

from __future__ import annotations

from core.config import TrainingConfig
from core.training.due_tasks import DueTasks

TRAINING = TrainingConfig(max_steps=50, validate_every=20, checkpoint_every=30, probe_every=10)


def test_the_untrained_model_is_probed_and_saved_but_not_validated() -> None:
    assert DueTasks().pending(0, TRAINING, None) == ["probe", "checkpoint"]


def test_each_task_has_its_steps_and_validation_the_last_step_too() -> None:
    found = {step: DueTasks().pending(step, TRAINING, None) for step in (1, 4, 20, 30, 40, 50)}
    assert found == {
        1: ["probe"],
        4: [],
        20: ["probe", "validation"],
        30: ["probe", "checkpoint"],
        40: ["probe", "validation"],
        50: ["probe", "validation"],
    }


def test_the_best_step_is_saved() -> None:
    assert DueTasks().pending(4, TRAINING, 4) == ["checkpoint"]


def test_a_finished_task_is_not_due_again_at_this_step() -> None:
    due = DueTasks()
    due.done_at["probe"] = 30
    assert due.pending(30, TRAINING, None) == ["checkpoint"]
    assert "probe" in due.pending(40, TRAINING, None)
