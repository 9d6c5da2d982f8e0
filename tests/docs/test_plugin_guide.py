"""The plugin guide works as printed: its files are written, its commands run and a plugin trained in the window."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import shutil
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core import plugin
from core.plugin import DatasetPlugin, TextForm, cut_columns
from core.plugins_host.discovery import user_plugins_dir
from core.testing import check_plugin
from gui.bridge import EngineBridge
from gui.main_window import VIEWS, MainWindow
from tests.gui.conftest import WAIT_MS
from tests.gui.windows import opened_window
from tests.in_process import run_headlight, run_pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "plugin-guide.md"
BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"`([\w/]+\.\w+)`")
TINY = ("model.d_model=16", "model.num_heads=2", "model.d_ff=16", "training.max_steps=3")


class Block(NamedTuple):
    """A fenced code block; `file` is the file name in the paragraph above it, or empty."""

    section: str
    language: str
    file: str
    text: str


def blocks() -> list[Block]:
    """All code blocks of the page, in order."""
    found = []
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        for block in BLOCK.finditer(section):
            above = section[: block.start()].rstrip("\n").rpartition("\n\n")[2]
            name = FILE_NAME.search(above)
            found.append(Block(section.partition("\n")[0], block["language"], name[1] if name else "", block["text"]))
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with every file of the page, as a reader would have."""
    for block in blocks():
        if block.language in ("python", "yaml", "text"):
            path = tmp_path / "mine" / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # as if Headlight were installed
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    return tmp_path / "mine"


@pytest.fixture
def empty_window(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    """The window after opening, before anything is prepared."""
    with opened_window(tmp_path) as window:
        yield window


def run(command: str, folder: Path) -> str:
    """Run a command of the page; return its output."""
    program, *arguments = shlex.split(command)
    if program == "headlight":
        result = run_headlight(*arguments, cwd=folder)
    else:
        assert [program, *arguments[:2]] == ["python", "-m", "pytest"]
        result = run_pytest(*arguments[2:], cwd=folder)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


def run_section(start: str, folder: Path) -> dict[str, str]:
    """Run all commands of a section in order; return the output of each."""
    lines = [
        line
        for block in blocks()
        if block.section.startswith(start) and block.language == "sh"
        for line in block.text.splitlines()
    ]
    assert lines
    return {line: run(line, folder) for line in lines}


def test_every_code_block_is_found_with_its_file_name() -> None:
    files = [block.file for block in blocks() if block.language in ("python", "yaml", "text")]
    assert files == [
        *("pig_latin.py", "pig_latin.yaml", "whisper.py", "whisper.yaml"),
        *("verbs.tsv", "verbs_dev.tsv", "inflection.yaml", "phrases.py", "phrases.txt"),
        *("german_numbers.py", "german_numbers.yaml", "spelled.py", "tests/test_pig_latin.py"),
    ]
    assert {block.language for block in blocks()} == {"python", "yaml", "text", "sh", "toml"}
    assert len(blocks()) == PAGE.read_text(encoding="utf-8").count("```") // 2


@pytest.mark.usefixtures("checks_share_hosts")
def test_the_first_plugin_passes_its_check_trains_and_gives_the_outputs_of_the_page(folder: Path) -> None:
    printed = run_section("Ten minutes", folder)
    assert "Nothing to fix." in printed["headlight plugins check pig_latin.py"]
    answers = printed["headlight translate first rabo salina"].splitlines()
    assert answers == ["aboray", "alinasay"]
    assert "It writes `aboray` and `alinasay`" in PAGE.read_text(encoding="utf-8")


@pytest.mark.usefixtures("checks_share_hosts")
def test_the_second_plugin_trains_with_its_options_and_metric(folder: Path) -> None:
    trained, checked = run_section("Options", folder).items()
    assert "headlight train whisper.yaml" in trained[0]
    (letters,) = (line for line in trained[1].splitlines() if line.startswith("valid/letters_heard "))
    assert 0 <= float(letters.split()[1]) <= 1
    assert "--set length=3" in checked[0] and "options: 6 of 6 other option values tried" in checked[1]
    assert "Nothing to fix." in checked[1]


def test_columns_are_learned_without_a_plugin(folder: Path) -> None:
    printed = run_section("Columns", folder)
    (answer,) = (output for command, output in printed.items() if "translate" in command)
    assert f"It writes `{answer.strip()}`" in PAGE.read_text(encoding="utf-8")
    vocabulary = json.loads((folder / "inflections" / "vocabulary.json").read_text(encoding="utf-8"))
    assert {*"walk", "V", "PST", "V.PTCP"} <= set(vocabulary["src_tokens"]) and "V;PST" not in vocabulary["src_tokens"]
    assert set(vocabulary["tgt_tokens"]) >= set("walked")


@pytest.mark.parametrize("name", ["phrases", "spelled"])
def test_the_other_plugins_train(name: str, folder: Path) -> None:
    (folder / f"{name}.yaml").write_text(f"dataset: {{plugin: {name}}}\n", encoding="utf-8")
    settings = " ".join(f"--set {setting}" for setting in TINY)
    printed = run(f"headlight train {name}.yaml --plugins-dir . {settings} --json", folder)
    assert json.loads(printed.splitlines()[-1])["reason"] == "max_steps"


def test_the_subwords_equal_those_of_the_page(folder: Path) -> None:
    settings = " ".join(f"--set {setting}" for setting in TINY)
    run(f"headlight train german_numbers.yaml --plugins-dir . {settings} --run-dir numbers", folder)
    pieces = json.loads((folder / "numbers" / "vocabulary.json").read_text(encoding="utf-8"))["tgt_tokens"]
    assert {"hundert", "tausend", "und", "zig"} <= set(pieces) and len(pieces) == 60 - 4
    assert "Among these 60 are `hundert`, `tausend`, `und` and `zig`" in PAGE.read_text(encoding="utf-8")


@pytest.mark.usefixtures("checks_share_hosts")
@pytest.mark.parametrize("name", ["german_numbers", "whisper", "spelled"])
def test_the_plugin_check_has_no_findings(name: str, folder: Path) -> None:
    check_plugin(folder / f"{name}.py")


@pytest.mark.usefixtures("checks_share_hosts")
def test_the_three_line_test_passes(folder: Path) -> None:
    assert "1 passed" in run_section("Tests", folder)["python -m pytest tests"]


def test_the_new_package_has_the_entry_point_shown_on_the_page(folder: Path) -> None:
    run_section("A package", folder)
    written = tomllib.loads((folder / "headlight-our-words" / "pyproject.toml").read_text(encoding="utf-8"))
    (shown,) = (block.text for block in blocks() if block.language == "toml")
    entry_points = tomllib.loads(shown)["project"]["entry-points"]
    assert written["project"]["entry-points"] == entry_points


def test_the_tables_list_every_method_and_function_with_its_signature() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| `(\w+\(.*?\))` \|", text, re.MULTILINE))
    methods = [method for name, method in vars(DatasetPlugin).items() if inspect.isfunction(method) and name[0] != "_"]
    names = ("option", "split_of", "draw_for", "read_lines", "cut_columns")
    functions = [getattr(plugin, name) for name in names]
    assert rows == {as_shown(function) for function in (*methods, *functions)}
    assert as_shown(TextForm) in text and f"is `{cut_columns(['walk', 'V;PST'], ['characters', ';'])}`" in text
    for name in ("endless", "splits_overlap", "api_version"):
        assert f"`{name} = {getattr(DatasetPlugin, name)}`" in text


def as_shown(function: Callable[..., object]) -> str:
    """Its name and parameters without types, as the tables show them."""
    parameters = inspect.signature(function).parameters.values()
    shown = (one.name if one.default is one.empty else f"{one.name}={one.default!r}" for one in parameters)
    return f"{function.__name__}({', '.join(shown)})".replace("'", '"')


def test_a_plugin_cannot_import_a_file_beside_it(folder: Path) -> None:
    (folder / "_shared.py").write_text("WORDS = []\n", encoding="utf-8")
    (folder / "sharing.py").write_text("from _shared import WORDS\n", encoding="utf-8")
    listed = run_headlight("plugins", "list", "--plugins-dir", ".", cwd=folder).stdout
    assert "No module named '_shared'" in listed and "_shared.py" not in listed


def test_the_second_plugin_learns_in_the_window(folder: Path, empty_window: MainWindow, qtbot: QtBot) -> None:
    window, bridge, view = empty_window, empty_window.context.bridge, empty_window.plugins_view
    window.show_view(VIEWS.index(type(view)))
    qtbot.waitUntil(lambda: bool(view.table.rows), timeout=WAIT_MS)
    user_plugins_dir().mkdir(parents=True)
    shutil.copy(folder / "whisper.py", user_plugins_dir())
    qtbot.mouseClick(view.reload_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "whisper" in [row.info.name for row in view.table.rows], timeout=WAIT_MS)
    view.table.select(str((user_plugins_dir() / "whisper.py").resolve()))
    qtbot.mouseClick(view.try_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "lost" in window.setup_drawer.plugin_options.form.rows, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: is_ready_with_a_limit(bridge), timeout=WAIT_MS)
    qtbot.mouseClick(window.transport.step_buttons[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    history = bridge.history
    assert history.prepared is not None and history.last_step == 1
    assert history.prepared.limits["valid/loss"] == pytest.approx(0.1 * 3.2581 * 5 / 6, abs=1e-4)
    probe = history.probes.at(0)
    assert probe is not None and probe.sentences[0].alignment == tuple((index, index) for index in range(5))


def is_ready_with_a_limit(bridge: EngineBridge) -> bool:
    """Whether the plugin being tried is ready; the one prepared before it declares no limit."""
    history = bridge.history
    return bridge.state == "ready" and history.prepared is not None and "valid/loss" in history.prepared.limits
