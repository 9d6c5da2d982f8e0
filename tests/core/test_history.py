"""The history: equal from events and folder, fast to open, and able to follow another process."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from core.errors import UserError
from core.events import ProbeDone, RunStarted, SettingChanged, SnapshotSaved, StateChanged, StepsDone
from core.growing_run.growing_probes import PROBES_IN_MEMORY
from core.history import History
from core.resuming import truncate_run
from core.run_files import metrics_file
from core.run_folder import RunFolder
from tests.core.examples import assert_same_probe, probe, run_folder, steps, validation, weights
from tests.record_calls import record_calls


def test_events_and_folder_give_the_same_history(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    live = History()
    live.apply(RunStarted(run=folder.path, step=0))
    for first in range(1, 2001, 100):
        arrays = steps(100, loss=1 / first)
        live.apply(StepsDone(first_step=first, arrays=arrays))
        folder.append_metrics(first, arrays)
    for step in (500, 1000):
        for event in (validation(step, is_best=step == 500, loss=step), SettingChanged(step=step, key="k", value=step)):
            live.apply(event)
        folder.write_validation(validation(step, is_best=step == 500, loss=step))
        folder.append_setting(SettingChanged(step=step, key="k", value=step))
        folder.write_probe(probe(step))
        live.apply(ProbeDone(probe=probe(step)))
        folder.write_snapshot(step, weights(step))
        live.apply(SnapshotSaved(step=step))
    read = History.read(folder)
    for name in ("time", "train/loss", "valid/loss", "valid/bleu"):
        np.testing.assert_array_equal(read.curve(name), live.curve(name))
    for history in (read, live):
        assert history.validations == {step: validation(step, loss=step).metrics for step in (500, 1000)}
        assert history.validation(500) == validation(500, loss=500)
        assert history.validation(1000).is_best is False
        assert history.settings_changed == [SettingChanged(step=step, key="k", value=step) for step in (500, 1000)]
        assert history.probes.steps == history.snapshot_steps == [500, 1000]
        assert history.last_step == 2000
        assert history.probes.at(499) is None
        for step, found in ((500, 500), (999, 500), (1000, 1000), (9999, 1000)):
            nearest = history.probes.at(step)
            assert nearest is not None
            assert_same_probe(nearest, probe(found))
        assert history.value("valid/loss", 999) == 500
        assert history.value("valid/loss", 499) is None


def test_unstored_probes_stay_in_memory(tmp_path: Path) -> None:
    folder, history = run_folder(tmp_path), History()
    history.apply(RunStarted(run=folder.path, step=0))
    for step in range(2 * PROBES_IN_MEMORY):
        history.apply(ProbeDone(probe=probe(step), is_stored=False))
    for step in range(2 * PROBES_IN_MEMORY):
        found = history.probes.at(step)
        assert found is not None and found.step == step
    folder.write_probe(probe(0))
    history.apply(ProbeDone(probe=probe(0)))
    assert history.probes.at(0) is not None and 0 not in history.probes._unstored


def test_a_returned_curve_does_not_change_when_steps_are_added() -> None:
    history = History()
    history.apply(StepsDone(first_step=1, arrays={"train/loss": np.arange(200.0)}))
    drawn, values = history.curve("train/loss")
    for first in range(201, 2000, 3):
        history.apply(StepsDone(first_step=first, arrays={"train/loss": np.zeros(3)}))
    assert drawn.tolist() == list(range(1, 201))
    assert values.tolist() == list(range(200))
    assert history.curve("nothing")[0].tolist() == []


def test_going_back_replaces_later_steps(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    history = History()
    history.apply(StepsDone(first_step=1, arrays={"train/loss": np.arange(100.0)}))
    for step in (50, 100):
        history.apply(validation(step))
        folder.write_validation(validation(step))
    history.apply(RunStarted(run=folder.path, step=60))
    assert history.last_step == 60
    history.apply(StepsDone(first_step=61, arrays={"train/loss": np.zeros(10)}))
    read, values = history.curve("train/loss")
    assert (read[-1], values[59], values[60]) == (70, 59.0, 0.0)
    assert list(history.validations) == [50] and set(history.best_steps) == {50}


@pytest.mark.parametrize("is_validation_kept", [False, True])
def test_after_going_back_the_history_is_that_of_the_folder(tmp_path: Path, is_validation_kept: bool) -> None:
    """The step's own validation may have come after the checkpoint that the run goes back to."""
    folder = run_folder(tmp_path)
    folder.append_metrics(1, steps(20))
    for step in (10, 20):
        folder.write_validation(validation(step))
        folder.write_probe(probe(step))
        folder.write_snapshot(step, weights(step))
        folder.save_checkpoint(step, weights(step), {}, {})
    history = History.read(folder)
    assert history.snapshot_steps == history.checkpoint_steps == [10, 20]
    list(history.analyse())
    truncate_run(folder, 10, {"is_best": int(is_validation_kept)})
    history.apply(RunStarted(run=folder.path, step=10))
    assert history.probes.steps == history.snapshot_steps == history.checkpoint_steps == [10]
    assert [step for step in (10, 20) if history.probes.alignment.has_step(step)] == [10]
    kept = [10] if is_validation_kept else []
    assert list(history.validations) == list(history.best_steps) == history.curve("valid/loss")[0].tolist() == kept


def test_going_back_forgets_a_change_that_repeats_an_earlier_one(tmp_path: Path) -> None:
    folder, key = run_folder(tmp_path), "training.optimizer.learning_rate"
    for rate in (0.1, 0.2, 0.1):
        folder.append_setting(SettingChanged(step=10, key=key, value=rate))
    history = History.read(folder)
    truncate_run(folder, 10, {"setting": 2})
    history.apply(RunStarted(run=folder.path, step=10))
    assert [changed.value for changed in history.settings_changed] == [0.1, 0.2]
    rates = [history.config_at(step).training.optimizer.learning_rate for step in (10, 11)]
    assert rates == [folder.config().training.optimizer.learning_rate, 0.2]


def test_resuming_a_long_run_reads_only_its_last_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run_folder(tmp_path)
    history = History()
    for step in (50, 100):
        history.apply(validation(step))
        folder.write_validation(validation(step))
    folder.append_metrics(101, steps(400))
    looked_at = record_calls(monkeypatch, metrics_file, "is_intact")
    history.apply(RunStarted(run=folder.path, step=500))
    assert list(history.validations) == [50, 100] and len(looked_at) < 200


def test_refresh_follows_a_run_that_another_process_writes(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    history = History.read(folder)
    assert history.refresh() is False
    folder.append_metrics(1, steps(10))
    path = folder.path / "metrics.jsonl"
    with path.open("ab") as file:
        file.write(b'{"step": 11, "ti')  # an incomplete line, as a reader may see it
    assert history.refresh() is True
    assert history.last_step == 10
    truncate_run(folder, 10)
    folder.append_metrics(11, steps(2))
    folder.write_probe(probe(11))
    history.refresh()
    assert (history.last_step, history.probes.steps) == (12, [11])
    truncate_run(folder, 5)
    folder.append_metrics(6, steps(1))
    folder.save_checkpoint(6, weights(6), {}, {})
    folder.update(state="paused")
    history.refresh()
    assert history.curve("train/loss")[0].tolist() == [1, 2, 3, 4, 5, 6]
    assert (history.probes.steps, history.checkpoint_steps, history.state) == ([], [6], "paused")


def test_what_changes_while_it_is_refreshed_is_new_at_the_next_refresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, list_probes = run_folder(tmp_path), RunFolder.probe_steps
    for name in ("run.json", "probes"):
        os.utime(folder.path / name, (0, 0))  # well before the changes, however coarse the file system's clock
    history = History.read(folder)

    def list_just_before_a_pause(self: RunFolder) -> list[int]:
        known = list_probes(self)
        folder.write_probe(probe(5))
        folder.update(state="paused")
        return known

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "probe_steps", list_just_before_a_pause)
        history.refresh()
    assert history.refresh() is True
    assert (history.state, history.probes.steps) == ("paused", [5])


def test_a_probe_written_again_is_read_again(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    folder.write_probe(probe(5))
    history = History.read(folder)
    assert history.probes.at(5) is history.probes.at(7)
    longer = probe(5)
    longer = type(longer)(step=5, sentences=longer.sentences * 2)
    folder.write_probe(longer)
    assert history.refresh()
    found = history.probes.at(5)
    assert found is not None
    assert len(found.sentences) == 4


def test_a_validation_made_again_is_read_again(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    folder.write_validation(validation(10, loss=1.0))
    history = History.read(folder)
    assert history.validation(10) == validation(10, loss=1.0)
    folder.write_validation(validation(10, loss=2.0))
    history.refresh()
    assert history.validation(10) == validation(10, loss=2.0)


def test_a_long_run_opens_with_all_its_steps_and_probes(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    names = ("time", "train/loss", "train/objective", "train/learning_rate", "train/grad_norm", "train/epoch")
    folder.append_metrics(1, {name: np.random.default_rng(0).random(20_000) for name in names})
    for step in range(200):
        folder.write_probe(probe(step))
    history = History.read(folder)
    assert (history.last_step, len(history.probes.steps), len(history.curve("train/loss")[0])) == (20_000, 200, 20_000)


def test_missing_probes_are_none_or_reported() -> None:
    history = History()
    assert history.probes.at(5) is None
    history.apply(StateChanged(state="learning", step=7))
    assert (history.state, history.last_step) == ("learning", 7)
    history.probes.steps = [3]
    with pytest.raises(UserError, match="no folder yet"):
        history.probes.at(3)


def test_the_newest_validation_is_the_last_with_stored_sentences(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    assert History.read(folder).newest_validation() is None
    for step in (10, 20):
        folder.write_validation(validation(step))
    assert History.read(folder).newest_validation() == validation(20)
    (folder.path / "validations" / "000020.jsonl").unlink()  # deleted by thinning before the run went back to step 20
    history = History.read(folder)
    folder.write_validation(validation(30))  # its line is not read yet
    assert history.newest_validation() == validation(10)
    assert History().newest_validation() is None


def test_damaged_probes_and_validations_are_skipped(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    for step in (10, 20):
        folder.write_probe(probe(step))
        folder.write_validation(validation(step))
    (folder.path / "probes" / "000020.safetensors").write_bytes(b"none")
    (folder.path / "validations" / "000020.jsonl").write_bytes(b"none")
    history = History.read(folder)
    assert history.probes.sentences == tuple(one.source for one in probe(10).sentences)
    assert_same_probe(history.probes.newest(), probe(10))
    assert history.newest_validation() == validation(10)
    (folder.path / "probes" / "000010.safetensors").write_bytes(b"none")
    (folder.path / "validations" / "000010.jsonl").write_bytes(b"none")
    history = History.read(folder)
    assert (history.probes.sentences, history.probes.newest(), history.newest_validation()) == ((), None, None)


def test_a_run_with_damaged_metrics_has_its_probes(tmp_path: Path) -> None:
    run, history = tmp_path / "run", History()
    shutil.copytree(Path(__file__).parents[1] / "golden" / "0.1.0_copy_task", run)
    (run / "metrics.jsonl").write_bytes(b"none\n")
    history.folder = RunFolder.open(run)
    with pytest.raises(UserError, match="without its curves"):
        history.refresh()
    assert history.probes.steps[-1] == 40 and history.probes.sentences


def test_a_probe_removed_before_the_next_refresh_is_replaced_by_the_one_before(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    for step in (5, 10):
        folder.write_probe(probe(step))
    history = History.read(folder)
    truncate_run(folder, 7)
    assert_same_probe(history.probes.at(12), probe(5))
    assert history.probes.steps == [5]


def test_the_folder_is_listed_once_however_many_probes_were_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run_folder(tmp_path)
    folder.write_probe(probe(5))
    path = folder.path / "probes"
    for step in range(10, 2010):
        (path / f"{step:06d}.safetensors").hardlink_to(path / "000005.safetensors")
    history = History.read(folder)
    truncate_run(folder, 7)
    listings = record_calls(monkeypatch, RunFolder, "probe_steps")
    assert_same_probe(history.probes.at(3000), probe(5))
    assert (history.probes.steps, len(listings)) == ([5], 1)
