"""`evaluate` says of which sentences and weights its figures are, and what was not as expected."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from core.config import RunConfig
from core.engine import Engine
from core.requests import Learn, Prepare, Start
from core.training.trainer import Trainer
from tests.core.watcher import answered, tiny_config
from tests.in_process import called

FILES = {f"{split}_{side}": f"{split}.{side}" for split in ("train", "valid") for side in ("source", "target")}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus without test files, one of whose five valid pairs is too long; and a run that averages checkpoints."""
    folder = tmp_path_factory.mktemp("place")
    for split, lines in {"train": ["a b", "b c", "c a"] * 10, "valid": ["a b", "b a", "c", "a c", "a b c a"]}.items():
        for side in ("source", "target"):
            (folder / f"{split}.{side}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    settings = {"max_steps": 20, "validate_every": 20, "checkpoint_every": 10, "average_checkpoints": 5}
    document = tiny_config(**settings).model_dump() | {
        "dataset": {"plugin": "parallel_text", "options": {"folder": str(folder), **FILES}, "max_src_length": 4}
    }
    with Engine(cache_dir=folder / "cache") as engine:
        answered(engine, Prepare(config=RunConfig.model_validate(document)))
        answered(engine, Start(runs_dir=folder, run_dir=folder / "run"))
        answered(engine, Learn())
    return folder


@pytest.fixture
def moved(place: Path) -> Iterator[Path]:
    """Its corpus is elsewhere for now."""
    file = place / "train.source"
    file.rename(place / "moved")
    yield file
    (place / "moved").rename(file)


def evaluated(place: Path, *options: str, run: str = "run") -> tuple[dict[str, Any], list[str]]:
    """What it printed, and the lines on standard error."""
    result = called("evaluate", place / run, "--json", *options, cwd=place)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout), result.stderr.splitlines()


def test_why_there_are_no_pairs_is_said(place: Path, moved: Path) -> None:
    result = called("evaluate", place / "run", cwd=place)
    why, refusal = result.stderr.splitlines()
    assert (result.returncode, result.stdout) == (2, "")
    assert f"there is no {moved}." in why and "The run can translate; it cannot go on learning." in why
    assert refusal.startswith("headlight: The pairs of this run's dataset are not at hand. Its plugin 'parallel_text' ")


@pytest.fixture
def elsewhere(place: Path, tmp_path: Path) -> Iterator[Path]:
    """All of its corpus lies in another folder for now."""
    files = [place / name for name in FILES.values()]
    for file in files:
        file.rename(tmp_path / file.name)
    yield tmp_path
    for file in files:
        (tmp_path / file.name).rename(file)


def test_a_corpus_that_was_moved_is_named_anew(place: Path, elsewhere: Path) -> None:
    record, errors = evaluated(place, "--set", f"dataset.options.folder={elsewhere}")
    assert (record["sentences"], len(errors)) == (4, 1)


def test_a_run_goes_on_with_a_moved_corpus_as_if_it_were_in_its_place(place: Path, elsewhere: Path) -> None:
    kept = [shutil.copytree(place / "run", elsewhere / name) for name in ("refused", "moved")]
    more = ("--set", "training.max_steps=30")
    refused = called("train", "--resume", kept[0], *more, cwd=place)
    assert refused.returncode == 2
    assert f"If its files were moved from {place}, put them or a link there, or say where they are: " in refused.stderr
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


def test_another_corpus_under_the_new_name_is_refused(place: Path, elsewhere: Path) -> None:
    train = elsewhere / "train.target"
    text = train.read_text(encoding="utf-8")
    train.write_text(text.replace("a b", "b b", 1), encoding="utf-8")
    result = called("evaluate", place / "run", "--set", f"dataset.options.folder={elsewhere}", cwd=place)
    train.write_text(text, encoding="utf-8")
    assert result.returncode == 2
    assert result.stderr.startswith("The dataset 'parallel_text' gives other pairs than when this run was trained. ")


def test_only_the_datasets_options_can_be_set(place: Path) -> None:
    result = called("evaluate", place / "run", "--set", "decoding.beam_size=2", cwd=place)
    assert (result.returncode, result.stderr) == (
        2,
        "headlight: --set decoding.beam_size: expected an option of the dataset, such as dataset.options.folder.\n",
    )


@pytest.mark.parametrize("verb", [["translate", "run", "a b"], ["runs", "compare", "run", "run", "--paired-bootstrap"]])
def test_the_other_verbs_say_so_too(place: Path, moved: Path, verb: list[str]) -> None:
    result: CompletedProcess[str] = called(*verb, "--runs-dir", place, cwd=place)
    assert f"there is no {moved}." in result.stderr.splitlines()[0]


class _Terminal(TextIOWrapper):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_how_far_it_is(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.in_process.TextIOWrapper", _Terminal)
    _, errors = evaluated(place)
    shown = "\n".join(errors)  # each drawing of a bar is a line to `splitlines`
    assert "scoring valid sentences" in shown and "decoding valid sentences" in shown


def test_a_damaged_checkpoint_that_gives_way_to_the_one_before_is_named(place: Path) -> None:
    damaged = shutil.copytree(place / "run", place / "damaged")
    weights = damaged / "checkpoints" / "000020" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    record, errors = evaluated(place, "--checkpoint", "last", run="damaged")
    assert record["checkpoint"] == 10
    assert errors[0].startswith(f"{weights}: the file is damaged") and "of step 10;" in errors[0]


def test_pairs_that_are_too_long_are_counted(place: Path) -> None:
    record, errors = evaluated(place)
    assert (record["sentences"], record["left_out"], record["is_valid_again"]) == (4, 1, False)
    assert errors == [
        "warning: 1 of 5 pairs of valid are longer than dataset.max_src_length or dataset.max_tgt_length, "
        "and are not scored"
    ]


def test_a_test_split_that_is_the_valid_split_once_more_is_said(place: Path) -> None:
    record, errors = evaluated(place, "--split", "test")
    assert (record["split"], record["left_out"], record["is_valid_again"]) == ("test", 1, True)
    assert errors[1:] == [
        "warning: the dataset has no test pairs of its own: these are valid's, which chose the best checkpoint"
    ]


def test_checkpoints_that_were_averaged_are_named(place: Path) -> None:
    _, errors = evaluated(place, "--checkpoint", "last")
    assert errors[0] == (
        "The weights of run are the mean of the checkpoints of steps 10, 20: "
        "2 of the 5 that training.average_checkpoints asks for."
    )
