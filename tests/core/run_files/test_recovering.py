"""Recovering a run after a crash removes only the crash's leftovers and keeps the user's files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.run_files.atomic import remove_folder
from core.run_folder import RunFolder
from tests.core.examples import run_folder, weights

KEPT = (
    "run.json.old",
    "notes.old/text",
    "mine.tmp",
    "label.json.tmp",
    "checkpoints/best.old/text",
    "probes/a.tmp",
)
REMOVED = (
    "run.json.tmp",
    "src.model.tmp",
    "probes/000001.safetensors.tmp",
    "checkpoints/000003.tmp/model.safetensors",
)


def saved(runs_dir: Path) -> RunFolder:
    """A released run with a checkpoint."""
    folder = run_folder(runs_dir)
    folder.save_checkpoint(2, weights(2), {}, {"step": 2})
    folder.release("stopped")
    return folder


def put(run: Path, names: tuple[str, ...]) -> list[Path]:
    """Create files with these names in the run."""
    paths = [run / name for name in names]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(path.name)
    return paths


def test_only_the_leftovers_of_a_crash_are_removed(tmp_path: Path) -> None:
    run = saved(tmp_path).path
    own, left = put(run, KEPT), put(run, REMOVED)
    RunFolder.open(run).claim()
    assert all(path.read_text() == path.name for path in own)
    assert not any(path.exists() for path in left) and not (run / "checkpoints" / "000003.tmp").exists()
    assert RunFolder.open(run).checkpoint(2).step == 2


def test_a_replacement_interrupted_between_its_two_renames_is_undone(tmp_path: Path) -> None:
    run = saved(tmp_path).path
    published = run / "checkpoints" / "000002"
    published.rename(published.with_suffix(".old"))
    RunFolder.open(run).claim()
    assert RunFolder.open(run).checkpoint(2).step == 2 and published.is_dir()


def test_a_replacement_interrupted_after_both_renames_is_finished(tmp_path: Path) -> None:
    run = saved(tmp_path).path
    published = run / "checkpoints" / "000002"
    shutil.copytree(published, published.with_suffix(".old"))
    RunFolder.open(run).claim()
    assert [path.name for path in published.parent.iterdir()] == ["000002"]


def test_an_interrupted_removal_of_a_checkpoint_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = saved(tmp_path).path
    published, rmtree = run / "checkpoints" / "000002", shutil.rmtree

    def break_off(path: Path, **_: object) -> None:
        if path.exists():
            (path / "model.safetensors").unlink()
            raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "rmtree", break_off)
    with pytest.raises(KeyboardInterrupt):
        remove_folder(published)
    monkeypatch.setattr(shutil, "rmtree", rmtree)
    assert not published.exists()
    RunFolder.open(run).claim()
    assert list(published.parent.iterdir()) == []
