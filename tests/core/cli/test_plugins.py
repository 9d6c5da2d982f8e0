"""`plugins list`, `plugins check`, and `train` with an ambiguous plugin name."""

from __future__ import annotations

import json
import os
from argparse import Namespace
from pathlib import Path

import pytest

from core import cli
from core.cli.plugins import list_plugins
from tests.in_process import run_headlight

pytestmark = pytest.mark.usefixtures("engines_share_a_host", "checks_share_hosts")

MINE_PLUGIN = """
from core.plugin import DatasetPlugin, Options, Pair, option

class MineOptions(Options):
    length: int = option(6, ge=1, le=64, help="Letters in each word.")

class Mine(DatasetPlugin[MineOptions]):
    name = "mine"
    title = "My words"

    def pairs(self, split, rng):
        yield Pair("a", "b")

PLUGIN = Mine
"""


def test_every_plugin_has_a_row_even_if_it_is_broken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(MINE_PLUGIN, encoding="utf-8")
    (tmp_path / "broken.py").write_text("this is no Python\n", encoding="utf-8")
    assert list_plugins(Namespace(json=False, plugins_dir=[tmp_path])) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(
        line.split() == ["mine", "My", "words", "API", "1", "ready", f"{tmp_path / 'mine.py'}"] for line in lines
    )
    broken = next(number for number, line in enumerate(lines) if line.startswith("broken"))
    assert lines[broken].endswith(f"unknown  cannot be used  {tmp_path / 'broken.py'}")
    assert "SyntaxError" in lines[broken + 1] and "line 1" in lines[broken + 1]
    assert any(line.startswith("copy_task") for line in lines)
    assert list_plugins(Namespace(json=True, plugins_dir=[tmp_path])) == 0
    records = {record["name"]: record for record in map(json.loads, capsys.readouterr().out.splitlines())}
    assert records["mine"]["tokenizer"] == {"src": "characters", "tgt": "characters"}
    assert records["mine"]["options"]["properties"]["length"]["maximum"] == 64
    assert [records["mine"][key] for key in ("origin", "package", "api_version", "version", "state")] == [
        *(str(tmp_path / "mine.py"), "", 1, "API 1", "ready"),
    ]
    assert (records["broken"]["api_version"], records["broken"]["state"]) == (None, "cannot be used")
    assert records["broken"]["error"] and records["copy_task"]["error"] is None


@pytest.mark.skipif(os.name == "nt", reason="Windows allows no such file names")
def test_a_line_break_in_a_plugins_file_name_does_not_break_its_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bro\nken.py").write_text("this is no Python\n", encoding="utf-8")
    assert list_plugins(Namespace(json=False, plugins_dir=[tmp_path])) == 0
    lines = capsys.readouterr().out.splitlines()
    row = next(number for number, line in enumerate(lines) if line.startswith(r"bro\nken "))
    assert lines[row].endswith(rf"{tmp_path}/bro\nken.py") and "SyntaxError" in lines[row + 1]
    assert not any(line.startswith("ken") for line in lines)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("plugins check", "A plugin is needed: its name, or its .py file. `plugins list` shows the names."),
        ("presets show", "A preset's name is needed. `presets list` shows them."),
    ],
)
@pytest.mark.parametrize("blank", ["", " "])
def test_a_blank_name_is_called_missing(capfd: pytest.CaptureFixture[str], command: str, why: str, blank: str) -> None:
    assert cli.main([*command.split(), blank]) == 2
    assert capfd.readouterr() == ("", f"headlight: {why}\n")


def test_a_plugin_that_cannot_be_loaded_is_listed_by_its_declared_name(tmp_path: Path) -> None:
    tokenizers = MINE_PLUGIN.replace("    title", '    tokenizer = "bytes"\n    title')
    default = MINE_PLUGIN.replace("option(6,", "option(99,").replace('"mine"', '"ours"')
    for file, text in (("bytesfile.py", tokenizers), ("optionsfile.py", default)):
        (tmp_path / file).write_text(text, encoding="utf-8")
    for name, file, words in (
        ("mine", "bytesfile.py", "has tokenizer 'bytes'"),
        ("ours", "optionsfile.py", "The default of dataset.options.length"),
    ):
        checked = run_headlight("plugins", "check", name, "--plugins-dir", str(tmp_path), cwd=tmp_path)
        assert (checked.returncode, checked.stderr) == (1, "")
        assert f"Plugin '{name}' failed" in checked.stdout and words in checked.stdout and file in checked.stdout
        by_file = run_headlight("plugins", "check", file, "--json", cwd=tmp_path)
        assert by_file.returncode == 1 and json.loads(by_file.stdout)["name"] == name
        train = ("train", "copy_task", "--set", f"dataset.plugin={name}", "--plugins-dir", str(tmp_path))
        trained = run_headlight(*train, cwd=tmp_path)
        assert trained.returncode == 2 and words in trained.stderr and file in trained.stderr


def test_check_prints_its_findings_and_exits_accordingly(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE_PLUGIN, encoding="utf-8")
    found = run_headlight("plugins", "check", "mine.py", cwd=tmp_path)
    assert (found.returncode, found.stderr) == (1, "")
    assert "learnability: not tried until the findings are fixed" in found.stdout
    assert "1 of the 1 different sources of the valid split is in the train split too" in found.stdout
    clean = run_headlight("plugins", "check", "copy_task", "--set", "num_symbols=12", "--json", cwd=tmp_path)
    assert (clean.returncode, clean.stderr) == (0, "")
    report = json.loads(clean.stdout)
    assert report["findings"] == [] and report["learnability"]["is_learned"]
    assert report["figures"]["splits"]["train"]["num_pairs"] is None
    assert report["figures"]["src_vocabulary"] == 12
    assert report["figures"]["splits"]["valid"]["num_pairs"] == 1000
    assert run_headlight("plugins", "check", "none", cwd=tmp_path).returncode == 2
    refused = run_headlight("plugins", "check", "copy_task", "--set", "num_symbols", cwd=tmp_path)
    assert refused.returncode == 2 and "--set num_symbols: expected KEY=VALUE, such as length=3." in refused.stderr


def test_train_uses_neither_of_two_plugins_with_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [tmp_path / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir()
        (folder / "mine.py").write_text(MINE_PLUGIN, encoding="utf-8")
    (tmp_path / "mine.yaml").write_text("{dataset: {plugin: mine}, training: {max_steps: 2}}", encoding="utf-8")
    monkeypatch.setenv("HEADLIGHT_PLUGINS", os.pathsep.join(map(str, folders)))
    result = run_headlight("train", "mine.yaml", cwd=tmp_path)
    assert result.returncode == 2 and len(result.stderr.splitlines()) == 1
    assert "The plugin name 'mine' is taken more than once" in result.stderr
    assert all(str(folder / "mine.py") in result.stderr for folder in folders)
    monkeypatch.setenv("HEADLIGHT_PLUGINS", str(folders[1]))
    trained = run_headlight("train", "mine.yaml", cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
