"""Resuming a run removes everything after its checkpoint, and a failed attempt leaves the run as it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.resuming import claimed_for_resuming, truncate_run
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
