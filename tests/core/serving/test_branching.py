"""Branching a run at a step: exact from a checkpoint, with new optimizer state from a snapshot."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.engine import Engine
from core.errors import UserError
from core.events import SettingChanged, StateChanged, Trouble
from core.history import History
from core.plugins_host.host import PluginHost
from core.requests import AddSentence, Branch, ChangeSetting, Finish, Learn, MoveRun, OpenRun
from core.run_files.copying import files_until
from core.run_folder import RunFolder
from core.runs.marks import collect_marks
from core.serving import branching
from core.serving.session import Session
from tests.core.examples import fail_to_read
from tests.core.watcher import Watcher, answered, run_of
from tests.reliability.small_runs import digest, read_everything, train


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of twelve steps with checkpoints at 4, 8 and 12, and snapshots in between."""
    settings: dict[str, Any] = {"checkpoint_every": 4, "validate_every": 4, "keep_checkpoints": 9, "probe_every": 2}
    return train(tmp_path_factory.mktemp("trained") / "parent", 12, **settings)


@pytest.fixture
def parent(trained: Path, tmp_path: Path) -> RunFolder:
    return RunFolder.open(shutil.copytree(trained, tmp_path / "runs" / "parent"))


def branched(parent: RunFolder, step: int, *changes: tuple[str, object], steps: int | None = None) -> Watcher:
    """Branch and train to the end or for `steps` steps; return the watcher of the events."""
    watcher = Watcher()
    with Engine([watcher], cache_dir=parent.path.parents[2] / "cache") as engine:
        request = Branch(run=parent.path, step=step, runs_dir=parent.path.parent, changes=changes)
        assert answered(engine, request).run == child_of(parent).path
        answered(engine, Learn(steps=steps))
    return watcher


def child_of(parent: RunFolder) -> RunFolder:
    (path,) = (path for path in parent.path.parent.iterdir() if path != parent.path)
    return RunFolder.open(path)


def test_a_branch_from_a_checkpoint_trains_exactly_like_its_parent(parent: RunFolder) -> None:
    before = digest(read_everything(parent.path))
    watcher = branched(parent, 8)
    child = child_of(parent)
    assert watcher.all(Trouble) == [] and watcher.steps() == [9, 10, 11, 12]
    assert (child.state.parent, child.state.parent_step) == ("parent", 8)
    assert child.checkpoint_steps() == [8, 12] and child.probe_steps() == parent.probe_steps()
    ours, theirs = child.checkpoint(12), parent.checkpoint(12)
    for name, array in {**theirs.model, **theirs.optimizer}.items():
        np.testing.assert_array_equal({**ours.model, **ours.optimizer}[name], array)
    np.testing.assert_array_equal(child.metrics()[1]["train/loss"], parent.metrics()[1]["train/loss"])
    assert digest(read_everything(parent.path)) == before


def test_a_branch_finds_the_best_among_its_own_validations(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"checkpoint_every": 4, "validate_every": 4, "best_metric": "valid/exact_match"}
    run = train(tmp_path / "trained" / "parent", 8, **settings)  # each time, not one is right
    parent = RunFolder.open(shutil.copytree(run, tmp_path / "runs" / "parent"))
    branched(parent, 8, steps=8)
    child = child_of(parent)
    assert (parent.state.best_step, child.state.best_step) == (4, 12) and child.checkpoint_step("best") == 12
    assert History.read(child).best_metric_at(12) == ("valid/exact_match", 8)


def test_a_branch_from_a_snapshot_keeps_only_the_weights(parent: RunFolder) -> None:
    step = next(step for step in parent.snapshot_steps() if step > 4 and step not in parent.checkpoint_steps())
    watcher = branched(parent, step, steps=1)
    (trouble,) = watcher.all(Trouble)
    assert "start afresh" in trouble.sentence and "Only the weights were kept" in trouble.advice
    child = child_of(parent)
    beginning = child.checkpoint(step)
    for name, array in parent.read_snapshot(step).items():
        np.testing.assert_array_equal(beginning.model[name], array)
    assert beginning.optimizer["step"] == 0 and beginning.state["batches"]["next"] == 0
    assert watcher.steps() == [step + 1] and len(child.metrics()[0]) == step + 1
    assert max(child.validation_steps()) == 4 and child.probe_steps()[-1] == step + 1


def test_a_damaged_probe_keeps_nobody_from_the_weights_of_its_step(parent: RunFolder) -> None:
    step = next(step for step in parent.snapshot_steps() if step > 4 and step not in parent.checkpoint_steps())
    (parent.path / "probes" / f"{step:06d}.safetensors").write_bytes(b"")
    assert branched(parent, step, steps=1).steps() == [step + 1]


def test_a_branch_applies_the_changed_settings(parent: RunFolder) -> None:
    watcher = branched(parent, 8, ("training.optimizer.learning_rate", 0.5), ("model.dropout", 0.5), steps=1)
    assert [(one.step, one.key, one.value) for one in watcher.all(SettingChanged)] == [
        (8, "training.optimizer.learning_rate", 0.5)
    ]
    child = child_of(parent)
    assert child.config().model.dropout == 0.5 and child.latest_config().training.optimizer.learning_rate == 0.5
    assert watcher.all(Trouble) == []  # the optimizer state is kept
    with Engine(cache_dir=parent.path.parents[2] / "cache") as engine:
        assert answered(engine, OpenRun(run=child.path)).config.training.optimizer.learning_rate == 0.5


def test_a_changed_batch_size_restarts_the_data(parent: RunFolder) -> None:
    (trouble,) = branched(parent, 8, ("training.batch_size", 2), steps=1).all(Trouble)
    assert "start afresh" in trouble.sentence and "The changed settings" in trouble.advice


def test_a_branch_at_the_end_of_a_run_is_finished_until_asked_for_more(parent: RunFolder) -> None:
    watcher = branched(parent, 12, steps=2)
    assert watcher.all(StateChanged)[1].state == "finished" and watcher.steps() == [13, 14]


@pytest.mark.parametrize(
    ("step", "change", "expected"),
    [
        (7, None, "has kept no weights at step 7"),
        (8, ("model.d_model", 32), "model.d_model cannot change from step 8 on"),
        (8, ("model.num_heads", 1), "model.num_heads cannot change from step 8 on: the weights were trained with"),
        (8, ("model.activation", "gelu"), "model.activation cannot change from step 8 on"),
        (8, ("dataset.options.num_symbols", 3), "dataset.options.num_symbols cannot change"),
    ],
)
def test_changes_that_do_not_fit_the_weights_are_refused(
    parent: RunFolder, step: int, change: tuple[str, object] | None, expected: str
) -> None:
    with pytest.raises(UserError, match=expected):
        branched(parent, step, *([change] if change else []))
    assert [path.name for path in parent.path.parent.iterdir()] == ["parent"]


def test_a_branch_that_replaces_an_untrained_one_keeps_its_parent_and_changes(
    parent: RunFolder,
) -> None:
    runs_dir, sentence = parent.path.parent, "3 3 3"
    with Engine(cache_dir=parent.path.parents[2] / "cache") as engine:
        first = run_of(answered(engine, Branch(run=parent.path, step=8, runs_dir=runs_dir)))
        assert RunFolder.open(first).is_untrained_branch() and not parent.is_untrained_branch()
        answered(engine, ChangeSetting(key="training.optimizer.learning_rate", value=0.25))
        answered(engine, AddSentence(source=sentence))
        request = Branch(run=first, step=8, runs_dir=runs_dir, changes=(("model.dropout", 0.5),), replaces_branch=True)
        prepared = answered(engine, request)
        second = run_of(prepared)
        state = RunFolder.open(second).state
        assert (state.parent, state.parent_step) == ("parent", 8)
        assert (prepared.config.training.optimizer.learning_rate, prepared.config.model.dropout) == (0.25, 0.5)
        answered(engine, Learn(steps=1))
        folder = RunFolder.open(second)
        assert folder.latest_config().training.optimizer.learning_rate == 0.25 and not folder.is_untrained_branch()
        assert sentence in [one.source for one in folder.probe(9).sentences]
        third = run_of(answered(engine, Branch(run=second, step=8, runs_dir=runs_dir, replaces_branch=True)))
        assert RunFolder.open(third).state.parent == second.name  # the replaced branch has been trained
        (second / "metrics.jsonl").unlink()  # as advised if it is damaged
        assert not RunFolder.open(second).is_untrained_branch()
    assert sorted(runs_dir.iterdir()) == sorted([parent.path, first, second, third])


def test_a_run_with_damaged_curves_is_reported_and_not_branched(parent: RunFolder) -> None:
    runs_dir, metrics = parent.path.parent, parent.path / "metrics.jsonl"
    data = bytearray(metrics.read_bytes())
    data[len(data) // 2] ^= 1
    metrics.write_bytes(data)
    with (
        Engine(cache_dir=parent.path.parents[2] / "cache") as engine,
        pytest.raises(UserError, match=r"metrics\.jsonl: line \d+ is damaged"),
    ):
        answered(engine, Branch(run=parent.path, step=8, runs_dir=runs_dir))
    assert list(runs_dir.iterdir()) == [parent.path]


def test_an_interrupted_branch_leaves_nothing(parent: RunFolder, tmp_path: Path) -> None:
    with PluginHost() as host:
        session = Session(Watcher(), host, tmp_path / "cache")
        work = session.branch(Branch(run=parent.path, step=8, runs_dir=parent.path.parent))
        while len(list(parent.path.parent.iterdir())) == 1:
            next(work)
        work.close()
        session.close()
    assert [path.name for path in parent.path.parent.iterdir()] == ["parent"]


def test_files_that_the_parents_trainer_thins_meanwhile_are_left_out(
    parent: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    list_files, early, late = (
        files_until,
        parent.path / "probes/000001.safetensors",
        parent.path / "probes/000002.safetensors",
    )

    def thin_once_listed(run: Path, step: int) -> list[Path]:
        files = list_files(run, step)
        early.unlink()
        return files

    def thin_once_counted(folder: Path, num_bytes: int) -> None:
        late.unlink()

    monkeypatch.setattr(branching, "files_until", thin_once_listed)
    monkeypatch.setattr(branching, "require_disk_space", thin_once_counted)
    before = parent.probe_steps()
    assert branched(parent, 8, steps=1).steps() == [9]
    assert child_of(parent).probe_steps() == [*(step for step in before if step <= 8 and step not in (1, 2)), 9]


def test_an_unreadable_file_of_the_parent_is_named(parent: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_to_read(parent.path / "probes/000002.safetensors", monkeypatch)
    with pytest.raises(UserError, match=r"000002\.safetensors: it cannot be read \(Input/output error\)"):
        branched(parent, 8)
    assert [path.name for path in parent.path.parent.iterdir()] == ["parent"]


def test_a_setting_changed_during_a_run_does_not_apply_to_earlier_steps(parent: RunFolder) -> None:
    key, runs, cache = "training.max_grad_norm", parent.path.parent, parent.path.parents[2] / "cache"
    with Engine(cache_dir=cache) as engine:
        changed = run_of(answered(engine, Branch(run=parent.path, step=4, runs_dir=runs)))
        answered(engine, Learn(steps=2))
        answered(engine, ChangeSetting(key=key, value=0.25))
        answered(engine, Learn(steps=6))
        later = answered(engine, Branch(run=changed, step=12, runs_dir=runs))
        earlier = answered(engine, Branch(run=run_of(later), step=2, runs_dir=runs))
    initial_norm = parent.config().training.max_grad_norm
    assert later.config.training.max_grad_norm == 0.25 != initial_norm
    folder = RunFolder.open(run_of(later))
    assert folder.config().training.max_grad_norm == initial_norm
    assert folder.latest_config().training.max_grad_norm == 0.25
    assert earlier.config.training.max_grad_norm == initial_norm


def test_the_changes_of_a_branch_are_marked_at_its_first_step(parent: RunFolder) -> None:
    dropout, rate = "model.dropout set to 0.5", "training.optimizer.learning_rate set to 0.25"
    runs, watcher = parent.path.parent, Watcher()
    changes = (("training.optimizer.learning_rate", 0.25), ("model.dropout", 0.5))
    with Engine([watcher], cache_dir=parent.path.parents[2] / "cache") as engine:
        child = run_of(answered(engine, Branch(run=parent.path, step=8, runs_dir=runs, changes=changes)))
        answered(engine, Learn(steps=2))
        answered(engine, Finish())
        history = History()
        for event in watcher.events:
            history.apply(event)
        later = run_of(answered(engine, Branch(run=child, step=10, runs_dir=runs)))
        earlier = run_of(answered(engine, Branch(run=child, step=4, runs_dir=runs)))
        request = Branch(
            run=earlier,
            step=4,
            runs_dir=runs,
            changes=(("model.attention_dropout", 0.25),),
            replaces_branch=True,
        )
        changed_twice = run_of(answered(engine, request))
        moved = answered(engine, MoveRun(runs_dir=runs.with_name("elsewhere")))
    assert settings_marked(history) == settings_marked_in(child) == [f"step 8: {dropout}", f"step 8: {rate}"]
    assert settings_marked_in(later) == [f"step 8: {dropout}", f"step 8: {rate}"]
    assert settings_marked_in(earlier) == [f"step 4: {dropout}"]  # this branch begins at another step
    expected = [f"step 4: {dropout}", "step 4: model.attention_dropout set to 0.25"]
    assert settings_marked_in(changed_twice) == settings_marked_in(moved) == expected
    assert settings_marked_in(parent.path) == []


def settings_marked_in(run: Path) -> list[str]:
    return settings_marked(History.read(RunFolder.open(run)))


def settings_marked(history: History) -> list[str]:
    return [mark.text for mark in collect_marks(history) if mark.kind == "setting"]
