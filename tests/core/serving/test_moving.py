"""Moving a run whose disk is full or gone."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.engine import Engine
from core.errors import UserError
from core.events import RunFinished, StepsDone, Trouble
from core.requests import ChangeSetting, Learn, MoveRun, OpenRun, Stop
from core.run_folder import RunFolder
from tests.core.examples import fail_to_read
from tests.core.serving.running import assert_same_weights, finished_run
from tests.core.watcher import SECONDS, Watcher, answered, begun
from tests.full_disk import no_file_beyond

pytestmark = pytest.mark.usefixtures("tiny_data_at_hand")


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX resource limits")
def test_a_full_disk_pauses_the_run_without_loss(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    run = begun(engine, tmp_path, max_steps=40)
    answered(engine, Learn(steps=5))
    with no_file_beyond(2000), pytest.raises(UserError, match="cannot be written") as exc_info:
        answered(engine, Learn())
    sentence = exc_info.value.sentence
    assert (watcher.states()[-1], watcher.wait(RunFinished).reason) == ("paused", "disk")
    assert watcher.wait(Trouble).sentence == sentence
    state = RunFolder.open(run).state  # run.json is small enough to be written
    assert (state.state, state.reason) == ("paused", "disk")
    answered(engine, Learn())
    assert sentence in (run / "log.txt").read_text(encoding="utf-8")
    assert RunFolder.open(run).metrics()[0].tolist() == list(range(1, 41))
    state = RunFolder.open(run).state
    assert (state.state, state.reason) == ("finished", "max_steps")
    assert_same_weights(finished_run(engine, tmp_path, max_steps=40), run)


@pytest.mark.parametrize("is_gone", [False, True])
def test_a_moved_run_gives_the_same_weights_and_can_be_opened_again(
    engine: Engine, tmp_path: Path, is_gone: bool
) -> None:
    plain = finished_run(engine, tmp_path)
    old = begun(engine, tmp_path)
    answered(engine, Learn(steps=33))
    if is_gone:
        shutil.rmtree(old)
    new = answered(engine, MoveRun(runs_dir=tmp_path / "elsewhere"))
    assert new.parent == tmp_path / "elsewhere"
    assert is_gone or RunFolder.open(old).state.pid is None
    answered(engine, Learn(steps=5))
    answered(engine, Stop())
    answered(engine, OpenRun(run=new))
    answered(engine, Learn())
    assert_same_weights(plain, new)
    folder = RunFolder.open(new)
    assert folder.metrics()[0].tolist() == list(range(34 if is_gone else 1, 61))
    missing = set(RunFolder.open(plain).probe_steps()) - set(folder.probe_steps())
    assert (max(missing) < 33) if is_gone else not missing


def test_a_moved_run_keeps_checkpoints_by_the_settings_changed_before(engine: Engine, tmp_path: Path) -> None:
    begun(engine, tmp_path, checkpoint_every=4, validate_every=1000, keep_checkpoints=9)
    answered(engine, Learn(steps=2))
    answered(engine, ChangeSetting(key="training.keep_checkpoints", value=1))
    new = answered(engine, MoveRun(runs_dir=tmp_path / "elsewhere"))
    answered(engine, Learn(steps=18))
    assert RunFolder.open(new).checkpoint_steps() == [16, 20]


def test_a_run_that_cannot_be_moved_stays_where_it_is(engine: Engine, tmp_path: Path) -> None:
    run = begun(engine, tmp_path)
    answered(engine, Learn(steps=3))
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot be written"):
        answered(engine, MoveRun(runs_dir=tmp_path / "file"))
    answered(engine, Learn())
    assert RunFolder.open(run).state.state == "finished"


def test_a_run_that_cannot_be_moved_while_it_trains_is_paused(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    run = begun(engine, tmp_path, max_steps=100_000)
    learning = engine.ask(Learn())
    watcher.wait(StepsDone)
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot be written"):
        answered(engine, MoveRun(runs_dir=tmp_path / "file"))
    assert learning.result(SECONDS) is None
    assert watcher.states()[-1] == RunFolder.open(run).state.state == "paused"


def test_a_run_is_moved_without_unreadable_files(
    engine: Engine, watcher: Watcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(engine, tmp_path)
    answered(engine, Learn(steps=33))
    fail_to_read(run / "probes/000010.safetensors", monkeypatch)
    before = RunFolder.open(run).probe_steps()
    new = answered(engine, MoveRun(runs_dir=tmp_path / "elsewhere"))
    assert set(before) - set(RunFolder.open(new).probe_steps()) == {10}
    assert "(files: 1)" in watcher.wait(Trouble, lambda trouble: trouble.is_note).sentence
    assert "000010.safetensors: it cannot be read (Input/output error)" in (new / "log.txt").read_text()
    answered(engine, Learn())
    assert RunFolder.open(new).metrics()[0].tolist() == list(range(1, 61))


def test_unreadable_curves_restart_in_the_new_folder_and_damaged_ones_prevent_a_move(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, elsewhere = begun(engine, tmp_path), tmp_path / "elsewhere"
    answered(engine, Learn(steps=33))
    metrics = (run / "metrics.jsonl").read_bytes()
    (run / "metrics.jsonl").write_bytes(b"x" + metrics[1:])
    with pytest.raises(UserError, match="line 1 is damaged"):
        answered(engine, MoveRun(runs_dir=elsewhere))
    assert list(elsewhere.iterdir()) == []
    fail_to_read(run / "metrics.jsonl", monkeypatch)
    new = answered(engine, MoveRun(runs_dir=elsewhere))
    answered(engine, Learn())
    assert RunFolder.open(new).metrics()[0].tolist() == list(range(34, 61))


def test_a_run_is_moved_off_an_unresponsive_disk(
    engine: Engine, watcher: Watcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, run = finished_run(engine, tmp_path), begun(engine, tmp_path)
    answered(engine, Learn(steps=33))

    def failing_in_run(call: Callable[..., Any]) -> Callable[..., Any]:
        def fail_or_call(path: str | Path = ".", **options: Any) -> Any:
            if Path(path).is_relative_to(run):
                raise OSError(errno.EIO, "Input/output error")
            return call(path, **options)

        return fail_or_call

    with monkeypatch.context() as failing:
        failing.setattr(Path, "stat", failing_in_run(Path.stat))
        failing.setattr(os, "scandir", failing_in_run(os.scandir))
        new = answered(engine, MoveRun(runs_dir=tmp_path / "elsewhere"))
    assert "metrics.jsonl: it cannot be read (Input/output error)" in (new / "log.txt").read_text()
    assert watcher.wait(Trouble, lambda trouble: trouble.is_note)
    answered(engine, Learn())
    assert_same_weights(plain, new)


@pytest.mark.parametrize("learns", [False, True])
def test_a_run_whose_folder_another_has_taken_writes_nothing_there_and_can_be_moved(
    engine: Engine, watcher: Watcher, tmp_path: Path, learns: bool
) -> None:
    other = shutil.copytree(finished_run(engine, tmp_path), tmp_path / "other")
    run = begun(engine, tmp_path, max_steps=100_000)  # so that it does not end before the folder is taken
    answered(engine, Learn(steps=10))
    if learns:
        engine.ask(Learn())
        watcher.wait_past(60)  # the steps of the other; run.json says by now that this one learns
    run.rename(tmp_path / "aside")
    other.rename(run)
    before = contents(run)
    with pytest.raises(UserError, match="another run has taken its place"):
        answered(engine, Learn())
    with pytest.raises(UserError, match="another run has taken its place"):
        answered(engine, Stop())
    assert contents(run) == before
    new = answered(engine, MoveRun(runs_dir=tmp_path / "elsewhere"))
    assert contents(run) == before
    assert all(step > 10 for step in RunFolder.open(new).metrics()[0]), (
        "the other run's curves are not those of this one"
    )


def contents(run: Path) -> dict[Path, bytes]:
    """All files of a run, by path."""
    return {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
