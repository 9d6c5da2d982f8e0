"""A run whose corpus was moved goes on where that is named anew."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.training.trainer import Trainer
from tests.core.cli.conftest import FILES
from tests.in_process import called


def test_a_run_goes_on_with_a_moved_corpus_as_if_it_were_in_its_place(place: Path, elsewhere: Path) -> None:
    kept = [shutil.copytree(place / "run", elsewhere / name) for name in ("refused", "moved")]
    more = ("--set", "training.max_steps=30")
    refused = called("train", "--resume", kept[0], *more, cwd=place)
    assert refused.returncode == 2
    assert f"If its files are not in {place}, put them or a link there, or say where they are: " in refused.stderr
    assert f"headlight train --resume {kept[0]} --set dataset.options.folder=FOLDER" in refused.stderr
    there = ("--set", f"dataset.options.folder={elsewhere}")
    resumed = called("train", "--resume", kept[1], *more, *there, cwd=place)
    assert resumed.returncode == 0, resumed.stderr
    assert (kept[1] / "config.yaml").read_bytes() == (place / "run" / "config.yaml").read_bytes()
    for name in FILES.values():
        shutil.copy(elsewhere / name, place)
    in_its_place = shutil.copytree(place / "run", elsewhere / "in_its_place")
    assert called("train", "--resume", in_its_place, *more, cwd=place).returncode == 0
    files = [run / "checkpoints" / "000030" / "model.safetensors" for run in (kept[1], in_its_place)]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_the_command_to_go_on_with_names_a_moved_corpus_again(
    place: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, there = shutil.copytree(place / "run", elsewhere / "run"), f"dataset.options.folder={elsewhere}"
    monkeypatch.setattr(Trainer, "has_diverged", True)
    stopped = called("train", "--resume", run, "--set", "training.max_steps=30", "--set", there, cwd=place)
    assert stopped.returncode == 3
    assert f"Go on with: headlight train --resume {run} --set {there} --set training." in stopped.stderr
