"""The table of docs/quality.md: rows are replaced task by task, promises checked, missing corpora reported."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import check_quality
from benchmarks.check_quality import PAGE, TASKS, Promise, Task, Trained, row, with_rows
from core.settings.presets import read_preset


def test_new_rows_of_a_task_stand_in_place_of_its_old_ones() -> None:
    def rows(name: str, steps: int) -> list[str]:
        return [row(name, "headlight train", Trained(steps, 2.0, "a GPU"), ("--split", "test"), "bleu 1")]

    page = PAGE.read_text(encoding="utf-8")
    first = with_rows(with_rows(page, "one", rows("one", 10)), "two", rows("two", 20))
    second = with_rows(first, "one", rows("one", 30))
    assert "| one | `headlight train` | 30 steps, 2 min, a GPU" in second and "10 steps" not in second
    assert second.index("| one |") < second.index("| two |") < second.index("| published |")
    assert second.replace(rows("one", 30)[0], "").split() == first.replace(rows("one", 10)[0], "").split()


def test_a_promise_says_whether_it_was_kept() -> None:
    assert Promise("tokenized_bleu", 36.0).words(36.5) == "tokenized_bleu 36.5 (at least 36: kept)"
    assert Promise("error", 0.1, is_upper_bound=True).words(0.2) == "error 0.2 (at most 0.1: MISSED)"


def test_every_command_is_accepted_by_the_command_line() -> None:
    for task in TASKS:
        settings = task.command(Path("/data"))[2:]
        config = read_preset(task.preset, tuple(setting for setting in settings if setting != "--set"))
        assert task.folder is None or config.dataset.options["folder"] == f"/data/{task.folder}"


def test_a_missing_corpus_is_skipped_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = PAGE.read_bytes()
    monkeypatch.setattr(sys, "argv", ["check_quality", str(tmp_path), "--only", "multi30k"])
    assert check_quality.main() == 0
    assert capsys.readouterr().out.startswith(
        "multi30k: skipped, since there is no folder multi30k/lc.norm.tok in DATA"
    )
    assert PAGE.read_bytes() == before


@pytest.mark.parametrize("arguments", [[], ["gone"]])
def test_without_the_folder_nothing_is_trained(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check_quality, "train", lambda *_: pytest.fail("a training was started"))
    monkeypatch.setattr(sys, "argv", ["check_quality", *arguments])
    assert check_quality.main() == 0
    assert capsys.readouterr().out.startswith("Skipped: there is no folder with the corpora")


def test_a_task_that_generates_its_data_needs_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    checked = list[str]()

    def check(task: Task, *_: object) -> tuple[list[str], bool]:
        checked.append(task.name)
        return [], False

    monkeypatch.setattr(check_quality, "PAGE", tmp_path / "quality.md")
    check_quality.PAGE.touch()
    monkeypatch.setattr(check_quality, "check", check)
    monkeypatch.setattr(check_quality, "with_rows", lambda page, *_: page)
    monkeypatch.setattr(sys, "argv", ["check_quality", "--only", "reverse"])
    assert check_quality.main() == 1
    assert checked == ["reverse"]


def test_what_comes_before_a_training_takes_none_of_its_minutes(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="train copy_tas ended with exit code 2"):
        check_quality.train(["train", "copy_tas"], tmp_path / "run", 60)
    assert float((tmp_path / "run.minutes").read_text()) == 0.0
