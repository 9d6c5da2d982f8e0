"""A run whose corpus was moved goes on where that is named anew."""

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


@pytest.mark.parametrize("gone", [("train_source",), ("valid_source", "valid_target")])
def test_files_named_in_full_are_asked_for_by_their_own_options(
    place: Path, tmp_path: Path, gone: tuple[str, ...]
) -> None:
    """Wherever the folder is: the files are not in it."""
    corpus = shutil.copytree(place, tmp_path / "corpus", ignore=shutil.ignore_patterns("run", "cache"))
    options = {name: str(corpus / file) for name, file in FILES.items()}
    run = trained(tmp_path, {"folder": str(place), **options})
    for name in gone:
        (corpus / FILES[name]).unlink()
    result = called("evaluate", run, cwd=place)
    assert result.returncode == 2 and f"there is no {options[gone[0]]}." in result.stderr
    named = " ".join(f"--set dataset.options.{name}=FILE" for name in gone)
    assert (
        "If its files are not where they were, put them or a link there, or say where they are: "
        f"headlight train --resume {run} {named} (`evaluate` and `runs compare --paired-bootstrap` take --set too)."
    ) in result.stderr


def test_of_files_inside_and_outside_the_folder_both_options_are_named(place: Path, tmp_path: Path) -> None:
    corpus = shutil.copytree(place, tmp_path / "corpus", ignore=shutil.ignore_patterns("run", "cache"))
    outside = {f"valid_{side}": str(shutil.move(corpus / f"valid.{side}", tmp_path)) for side in ("source", "target")}
    run = trained(tmp_path, {"folder": str(corpus), **FILES, **outside})
    for file in (corpus / "train.source", tmp_path / "valid.source"):
        file.unlink()
    told = called("evaluate", run, cwd=place).stderr
    assert f"--resume {run} --set dataset.options.folder=FOLDER --set dataset.options.valid_source=FILE (" in told


def test_a_plugin_of_ones_own_is_named_with_its_moved_corpus(place: Path, tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir()
    code = (built_in_plugins_dir() / "parallel_text.py").read_text(encoding="utf-8")
    (tmp_path / "plugins" / "mine.py").write_text(code.replace('"parallel_text"', '"mine"'), encoding="utf-8")
    places = ("--plugins-dir", tmp_path / "plugins")
    settings = ("dataset.plugin=mine", "training.max_steps=2")
    given = [word for setting in settings for word in ("--set", setting)]
    config = place / "run" / "config.yaml"
    assert called("train", config, "--run-dir", tmp_path / "run", *given, *places, cwd=tmp_path).returncode == 0
    (place / "train.source").rename(tmp_path / "train.source")
    told = called("evaluate", tmp_path / "run", *places, cwd=tmp_path).stderr
    (tmp_path / "train.source").rename(place / "train.source")
    assert f"--resume {tmp_path / 'run'} --plugins-dir {tmp_path / 'plugins'} --set dataset.options.folder=FOLD" in told


@pytest.mark.parametrize("name", ["valid.source", "link"])
@pytest.mark.parametrize(("verb", "option"), [(("evaluate",), "--predictions"), (("translate",), "--output")])
def test_no_result_takes_the_place_of_a_file_of_the_corpus(
    place: Path, tmp_path: Path, verb: tuple[str, ...], option: str, name: str
) -> None:
    corpus = place / "valid.source"
    before, given = corpus.read_bytes(), corpus if name == corpus.name else tmp_path / name
    if given != corpus:
        given.symlink_to(corpus)
    texts = ("a b",) if verb == ("translate",) else ()
    refused = called(*verb, place / "run", *texts, option, given, cwd=tmp_path)
    assert refused.returncode == 2 and corpus.read_bytes() == before
    said = f"headlight: {option} {given} is a file of the dataset of run: the texts would be lost. Name another file.\n"
    assert refused.stderr == said


def test_an_option_too_long_to_be_the_name_of_a_file_is_none(place: Path, tmp_path: Path) -> None:
    (tmp_path / "written").touch()
    opening = OpenRun(run=place / "run", dataset_options=(("text", "x" * 5000),))
    require_not_a_corpus_file(tmp_path / "written", "--output", opening)


def trained(folder: Path, options: dict[str, str]) -> Path:
    """A run of two steps on a corpus of one's own."""
    dataset = {"plugin": "parallel_text", "options": options}
    config = RunConfig.model_validate(tiny_config(max_steps=2).model_dump() | {"dataset": dataset})
    (folder / "tiny.yaml").write_text(config_to_yaml(config), encoding="utf-8")
    result = called("train", "tiny.yaml", "--run-dir", "run", cwd=folder)
    assert result.returncode == 0, result.stderr
    return folder / "run"


def test_the_command_to_go_on_with_names_a_moved_corpus_again(
    place: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, there = shutil.copytree(place / "run", elsewhere / "run"), f"dataset.options.folder={elsewhere}"
    monkeypatch.setattr(Trainer, "has_diverged", True)
    stopped = called("train", "--resume", run, "--set", "training.max_steps=30", "--set", there, cwd=place)
    assert stopped.returncode == 3
    assert f"Continue with: headlight train --resume {run} --set {there} --set training.max_steps=30 " in stopped.stderr


def test_a_run_goes_on_with_options_that_no_run_begins_with_any_more(place: Path, tmp_path: Path) -> None:
    """An earlier version took columns for texts in two files, where they have no effect."""
    earlier = tmp_path / "plugins" / "parallel_text.py"
    earlier.parent.mkdir()
    code = (built_in_plugins_dir() / "parallel_text.py").read_text(encoding="utf-8")
    earlier.write_text(code.replace("def check(self)", "def once_no_check(self)"), encoding="utf-8")
    config = shutil.copy(place / "run" / "config.yaml", tmp_path)
    begun = ("train", config, "--set", "dataset.options.target=[3]", "--set", "training.max_steps=2")
    run, there = tmp_path / "run", ("--plugins-dir", earlier.parent)
    assert called(*begun, *there, "--run-dir", run, cwd=tmp_path).returncode == 0
    assert called("evaluate", run, cwd=tmp_path).returncode == 0
    resumed = called("train", "--resume", run, "--set", "training.max_steps=4", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert (run / "checkpoints" / "000004").is_dir()
    moved = shutil.copytree(place, tmp_path / "moved", ignore=shutil.ignore_patterns("run", "cache"))
    there_now = ("--set", f"dataset.options.folder={moved}")
    found = called("evaluate", run, *there_now, cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    for column, refused in ((3, begun), (4, ("evaluate", run, *there_now, "--set", "dataset.options.target=[4]"))):
        result = called(*refused, cwd=tmp_path)
        said = f"target: texts in two files have no columns: expected [2], given [{column}]."
        assert result.returncode == 2 and said in result.stderr


def test_a_run_goes_on_with_a_separator_that_no_run_begins_with_any_more(tmp_path: Path) -> None:
    """An earlier version took one that cuts nothing."""
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
    run, begun = tmp_path / "run", ("train", "tiny.yaml", "--run-dir")
    assert called(*begun, run, "--plugins-dir", earlier.parent, cwd=tmp_path).returncode == 0
    shutil.copytree(run, tmp_path / "new machine")
    resumed = called("train", "--resume", run, "--set", "training.max_steps=4", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    there = ("--set", f"dataset.options.folder={corpus.rename(tmp_path / 'moved')}")
    evaluated = called("evaluate", tmp_path / "new machine", *there, cwd=tmp_path)
    assert evaluated.returncode == 0, evaluated.stderr
    refused = called(*begun, tmp_path / "another", *there, cwd=tmp_path)
    assert refused.returncode == 2 and "':' cuts nothing" in refused.stderr
