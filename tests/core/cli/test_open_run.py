"""A run whose corpus was moved resumes when the new location is given."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.cli.open_run import require_not_a_corpus_file
from core.config import RunConfig, config_to_yaml
from core.plugins_host.discovery import built_in_plugins_dir
from core.requests import OpenRun
from core.training.trainer import Trainer
from tests.core.cli.conftest import FILES
from tests.core.watcher import tiny_config
from tests.in_process import run_headlight


def test_a_run_resumes_with_a_moved_corpus_as_with_the_original(workspace: Path, moved_corpus: Path) -> None:
    kept = [shutil.copytree(workspace / "run", moved_corpus / name) for name in ("refused", "moved")]
    more_steps = ("--set", "training.max_steps=30")
    result = run_headlight("train", "--resume", kept[0], *more_steps, cwd=workspace)
    assert result.returncode == 2
    assert f"If its files are not in {workspace}, put them or a link there, or say where they are: " in result.stderr
    assert f"headlight train --resume {kept[0]} --set dataset.options.folder=FOLDER" in result.stderr
    set_folder = ("--set", f"dataset.options.folder={moved_corpus}")
    resumed = run_headlight("train", "--resume", kept[1], *more_steps, *set_folder, cwd=workspace)
    assert resumed.returncode == 0, resumed.stderr
    assert (kept[1] / "config.yaml").read_bytes() == (workspace / "run" / "config.yaml").read_bytes()
    for name in FILES.values():
        shutil.copy(moved_corpus / name, workspace)
    in_its_place = shutil.copytree(workspace / "run", moved_corpus / "in_its_place")
    assert run_headlight("train", "--resume", in_its_place, *more_steps, cwd=workspace).returncode == 0
    files = [run / "checkpoints" / "000030" / "model.safetensors" for run in (kept[1], in_its_place)]
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("missing", [("train_source",), ("valid_source", "valid_target")])
def test_missing_files_named_in_full_are_asked_for_by_their_own_options(
    workspace: Path, tmp_path: Path, missing: tuple[str, ...]
) -> None:
    """The option `folder` does not matter, as the files are outside it."""
    corpus = shutil.copytree(workspace, tmp_path / "corpus", ignore=shutil.ignore_patterns("run", "cache"))
    options = {name: str(corpus / file) for name, file in FILES.items()}
    run = train_run(tmp_path, {"folder": str(workspace), **options})
    for name in missing:
        (corpus / FILES[name]).unlink()
    result = run_headlight("evaluate", run, cwd=workspace)
    assert result.returncode == 2 and f"there is no {options[missing[0]]}." in result.stderr
    named = " ".join(f"--set dataset.options.{name}=FILE" for name in missing)
    assert (
        "If its files are not where they were, put them or a link there, or say where they are: "
        f"headlight train --resume {run} {named} (`evaluate` and `runs compare --paired-bootstrap` take --set too)."
    ) in result.stderr


@pytest.mark.parametrize("setting", ["folder=corpsu", "valid_source=vlaid.source"])
def test_a_mistyped_path_is_not_called_a_moved_corpus(workspace: Path, tmp_path: Path, setting: str) -> None:
    corpus = shutil.copytree(workspace, tmp_path / "corpus", ignore=shutil.ignore_patterns("run", "cache"))
    run = train_run(tmp_path, {"folder": str(corpus), **FILES})
    stderr = run_headlight("evaluate", run, "--set", f"dataset.options.{setting}", cwd=tmp_path).stderr
    assert f"/{setting.partition('=')[2]}" in stderr and "If its files" not in stderr


def test_both_options_are_named_for_files_inside_and_outside_the_folder(workspace: Path, tmp_path: Path) -> None:
    corpus = shutil.copytree(workspace, tmp_path / "corpus", ignore=shutil.ignore_patterns("run", "cache"))
    outside = {f"valid_{side}": str(shutil.move(corpus / f"valid.{side}", tmp_path)) for side in ("source", "target")}
    run = train_run(tmp_path, {"folder": str(corpus), **FILES, **outside})
    for file in (corpus / "train.source", tmp_path / "valid.source"):
        file.unlink()
    stderr = run_headlight("evaluate", run, cwd=workspace).stderr
    assert f"--resume {run} --set dataset.options.folder=FOLDER --set dataset.options.valid_source=FILE (" in stderr


def test_the_plugins_folder_is_named_with_a_moved_corpus(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir()
    code = (built_in_plugins_dir() / "parallel_text.py").read_text(encoding="utf-8")
    (tmp_path / "plugins" / "mine.py").write_text(code.replace('"parallel_text"', '"mine"'), encoding="utf-8")
    places = ("--plugins-dir", tmp_path / "plugins")
    settings = ("dataset.plugin=mine", "training.max_steps=2")
    words = [word for setting in settings for word in ("--set", setting)]
    config = workspace / "run" / "config.yaml"
    assert run_headlight("train", config, "--run-dir", tmp_path / "run", *words, *places, cwd=tmp_path).returncode == 0
    (workspace / "train.source").rename(tmp_path / "train.source")
    stderr = run_headlight("evaluate", tmp_path / "run", *places, cwd=tmp_path).stderr
    (tmp_path / "train.source").rename(workspace / "train.source")
    assert (
        f"--resume {tmp_path / 'run'} --plugins-dir {tmp_path / 'plugins'} --set dataset.options.folder=FOLD" in stderr
    )


@pytest.mark.parametrize("name", ["valid.source", "link"])
@pytest.mark.parametrize(("verb", "option"), [(("evaluate",), "--predictions"), (("translate",), "--output")])
def test_no_result_overwrites_a_file_of_the_corpus(
    workspace: Path, tmp_path: Path, verb: tuple[str, ...], option: str, name: str
) -> None:
    corpus = workspace / "valid.source"
    before, path = corpus.read_bytes(), corpus if name == corpus.name else tmp_path / name
    if path != corpus:
        path.symlink_to(corpus)
    texts = ("a b",) if verb == ("translate",) else ()
    result = run_headlight(*verb, workspace / "run", *texts, option, path, cwd=tmp_path)
    assert result.returncode == 2 and corpus.read_bytes() == before
    message = (
        f"headlight: {option} {path} is a file of the dataset of run: the texts would be lost. Name another file.\n"
    )
    assert result.stderr == message


@pytest.mark.parametrize("text", ["x" * 5000, "~no such user"])
def test_an_option_that_can_name_no_file_is_not_taken_for_one(workspace: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "written").touch()
    request = OpenRun(run=workspace / "run", dataset_options=(("text", text),))
    require_not_a_corpus_file(tmp_path / "written", "--output", request)


def train_run(folder: Path, options: dict[str, str]) -> Path:
    """Train a run of two steps with these options of parallel_text."""
    dataset = {"plugin": "parallel_text", "options": options}
    config = RunConfig.model_validate(tiny_config(max_steps=2).model_dump() | {"dataset": dataset})
    (folder / "tiny.yaml").write_text(config_to_yaml(config), encoding="utf-8")
    result = run_headlight("train", "tiny.yaml", "--run-dir", "run", cwd=folder)
    assert result.returncode == 0, result.stderr
    return folder / "run"


def test_the_command_to_resume_names_a_moved_corpus(
    workspace: Path, moved_corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, set_folder = shutil.copytree(workspace / "run", moved_corpus / "run"), f"dataset.options.folder={moved_corpus}"
    monkeypatch.setattr(Trainer, "has_diverged", True)
    stopped = run_headlight(
        "train", "--resume", run, "--set", "training.max_steps=30", "--set", set_folder, cwd=workspace
    )
    assert stopped.returncode == 3
    assert (
        f"Continue with: headlight train --resume {run} --set {set_folder} --set training.max_steps=30 "
        in stopped.stderr
    )


def test_a_run_resumes_with_options_that_new_runs_refuse(workspace: Path, tmp_path: Path) -> None:
    """An earlier version accepted columns for texts in two files, where they have no effect."""
    earlier = tmp_path / "plugins" / "parallel_text.py"
    earlier.parent.mkdir()
    code = (built_in_plugins_dir() / "parallel_text.py").read_text(encoding="utf-8")
    earlier.write_text(code.replace("def check(self)", "def once_no_check(self)"), encoding="utf-8")
    config = shutil.copy(workspace / "run" / "config.yaml", tmp_path)
    train_command = ("train", config, "--set", "dataset.options.target=[3]", "--set", "training.max_steps=2")
    run, plugins_dir = tmp_path / "run", ("--plugins-dir", earlier.parent)
    assert run_headlight(*train_command, *plugins_dir, "--run-dir", run, cwd=tmp_path).returncode == 0
    assert run_headlight("evaluate", run, cwd=tmp_path).returncode == 0
    resumed = run_headlight("train", "--resume", run, "--set", "training.max_steps=4", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert (run / "checkpoints" / "000004").is_dir()
    moved = shutil.copytree(workspace, tmp_path / "moved", ignore=shutil.ignore_patterns("run", "cache"))
    set_folder = ("--set", f"dataset.options.folder={moved}")
    found = run_headlight("evaluate", run, *set_folder, cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    for column, command in (
        (3, train_command),
        (4, ("evaluate", run, *set_folder, "--set", "dataset.options.target=[4]")),
    ):
        result = run_headlight(*command, cwd=tmp_path)
        message = f"target: texts in two files have no columns: expected [2], given [{column}]."
        assert result.returncode == 2 and message in result.stderr


def test_a_run_resumes_with_a_separator_that_new_runs_refuse(tmp_path: Path) -> None:
    """An earlier version accepted a separator that cuts nothing."""
    corpus, earlier = tmp_path / "corpus", tmp_path / "plugins" / "parallel_text.py"
    for folder in (corpus, earlier.parent):
        folder.mkdir()
    code = (built_in_plugins_dir() / "parallel_text.py").read_text(encoding="utf-8")
    earlier.write_text(code.replace("if unseen and ", "if not unseen and "), encoding="utf-8")
    for split, count in (("train", 20), ("valid", 3)):
        (corpus / f"{split}.tsv").write_text("a b\tV;PST\tb a\n" * count, encoding="utf-8")
    options = {"folder": str(corpus), "train_source": "train.tsv", "valid_source": "valid.tsv", "source": [1, 2]}
    dataset = {"plugin": "parallel_text", "options": options | {"target": 3, "source_cut": ["words", ":"]}}
    config = RunConfig.model_validate(tiny_config(max_steps=2).model_dump() | {"dataset": dataset})
    (tmp_path / "tiny.yaml").write_text(config_to_yaml(config), encoding="utf-8")
    run, train_command = tmp_path / "run", ("train", "tiny.yaml", "--run-dir")
    assert run_headlight(*train_command, run, "--plugins-dir", earlier.parent, cwd=tmp_path).returncode == 0
    shutil.copytree(run, tmp_path / "new machine")
    resumed = run_headlight("train", "--resume", run, "--set", "training.max_steps=4", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    set_folder = ("--set", f"dataset.options.folder={corpus.rename(tmp_path / 'moved')}")
    evaluated = run_headlight("evaluate", tmp_path / "new machine", *set_folder, cwd=tmp_path)
    assert evaluated.returncode == 0, evaluated.stderr
    result = run_headlight(*train_command, tmp_path / "another", *set_folder, cwd=tmp_path)
    assert result.returncode == 2 and "':' cuts nothing" in result.stderr
