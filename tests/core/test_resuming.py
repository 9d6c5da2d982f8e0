"""Resuming a run removes everything after its checkpoint, and a failed attempt leaves the run as it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.config import TrainingConfig
from core.resuming import claimed_for_resuming, resumable_steps, steps_before_divergence, truncate_run
from core.run_folder import RunFolder
from tests.core.examples import probe, run_folder, steps, validation, weights


def test_going_back_removes_later_steps(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    folder.append_metrics(1, steps(30))
    for step in (10, 20, 30):
        folder.write_probe(probe(step))
        folder.write_validation(validation(step))
        folder.write_snapshot(step, weights(step))
        folder.save_checkpoint(step, weights(step), {}, {"step": step}, best_value=1.0)
    truncate_run(folder, 20)
    assert folder.metrics()[0][-1] == 20
    assert list(folder.validation_metrics()) == [10, 20]
    assert folder.probe_steps() == folder.snapshot_steps() == folder.validation_steps() == [10, 20]
    assert folder.checkpoint_steps() == [10, 20]
    assert (folder.state.last_step, folder.state.best_step) == (20, None)


def test_a_run_that_fails_to_resume_is_left_as_it_was(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    folder.release("failed", "diverged")
    found = folder.state
    with pytest.raises(ZeroDivisionError), claimed_for_resuming(folder):
        assert folder.state.is_ours()
        raise ZeroDivisionError
    assert replace(RunFolder.open(folder.path).state, updated=found.updated) == found


def test_a_diverged_run_resumes_from_before_its_loss_rose(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    folder.use_settings(TrainingConfig(keep_checkpoints=5))
    folder.save_checkpoint(0, weights(0), {}, {})
    assert steps_before_divergence(folder) == []  # its very first step was refused
    for step in range(1, 5):
        folder.save_checkpoint(step, weights(step), {}, {})
    folder.append_metrics(1, {"time": np.arange(4.0), "train/loss": np.array([3.0, 2.0, 50.0, np.nan])})
    assert resumable_steps(folder) == [0, 1, 2, 3, 4]
    folder.release("failed", "diverged")
    assert resumable_steps(folder) == steps_before_divergence(folder) == [0, 1]
