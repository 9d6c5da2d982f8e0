"""Parsing the command line's arguments."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from core.cli.parser import parse
from tests.reliability.training_process import ROOT


@pytest.mark.parametrize(
    "words",
    [
        ["translate", "RUN", "a b", "c", "--json"],
        ["translate", "--json", "RUN", "a b", "c"],
        ["translate", "RUN", "--json", "a b", "c"],
        ["translate", "RUN", "a b", "--json", "c"],
    ],
)
def test_options_may_stand_anywhere_between_texts(words: list[str]) -> None:
    arguments = parse(words)
    assert (arguments.run, arguments.text, arguments.json) == ("RUN", ["a b", "c"], True)


@pytest.mark.parametrize("words", [["RUN", "--", "-x", "y"], ["RUN", "--json", "--", "-x", "y"]])
def test_a_text_may_begin_with_a_dash(words: list[str]) -> None:
    assert parse(["translate", *words]).text == ["-x", "y"]


def test_without_a_run_translate_asks_for_the_run_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["translate"])
    assert "required: RUN. " in capsys.readouterr().err
    assert parse(["translate", "RUN"]).text == []


def test_an_unknown_option_among_texts_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["translate", "RUN", "--jsn", "a"])
    assert capsys.readouterr().err == (
        "headlight translate: unknown: --jsn. `headlight translate --help` shows what there is.\n"
    )


@pytest.mark.parametrize(
    "words",
    [["train", "copy_task", "--run-dir"], ["runs", "list", "--runs-dir"], ["translate", "RUN", "--input"]],
)
def test_an_empty_path_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse([*words, ""])
    expected = f"argument {words[-1]}: expected a path, given an empty text."
    assert expected in capsys.readouterr().err


def test_the_version_is_the_projects_behind_the_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(["--version"])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (ended.value.code, capsys.readouterr()) == (0, (f"headlight {project['version']}\n", ""))


def test_repeated_set_options_are_collected() -> None:
    assert parse(["train", "--set", "a=1", "copy_task", "--set", "b=2"]).set == ["a=1", "b=2"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["runs", "--help"], "delete runs for good, without asking; of a link to a run, only the link"),
        (
            ["translate", "--help"],
            "number of the text, score, output; needs a beam that wide: --beam-size N, unless the run's own is",
        ),
        (["evaluate", "--help"], "source, reference and hypothesis of one run, separated by tabs, below a header line"),
        (["evaluate", "--help"], "name the folder of a corpus that was moved (dataset.options.folder=FOLDER)"),
    ],
)
def test_help_explains_the_arguments(
    words: list[str], expected: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    with pytest.raises(SystemExit):
        parse(words)
    assert expected in capsys.readouterr().out


def test_a_home_folder_is_expanded_after_an_equals_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.path.expanduser", lambda text: text.replace("~", str(tmp_path)))
    arguments = parse(["train", "copy_task", "--runs-dir=~/runs", "--plugins-dir=~/plugins"])
    assert (arguments.runs_dir, arguments.plugins_dir) == (tmp_path / "runs", [tmp_path / "plugins"])
