"""The pytest plugin: a failing test shows the findings and no traceback; other test runs load nothing heavy."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.in_process import run_pytest

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "core" / "plugin_check" / "cases"
LEAKS = CASES / "leaks.py"
SENTENCE = "9 of the 90 different sources of the valid split are in the train split too"


TESTS_BESIDE_THE_PLUGIN = """
from core.testing import check_plugin as imported

def test_by_import():
    imported("authors/leaks.py")

def test_by_fixture(check_plugin):
    check_plugin("leaks.py", with_learning=False)

def test_by_a_name_that_is_not_there(check_plugin):
    check_plugin("no_such_task")
"""
TESTS_ELSEWHERE = """
import pytest

@pytest.mark.parametrize("given", ["leaks.py", "./leaks.py"])
def test_of_no_file_beside_it(check_plugin, given):
    check_plugin(given, with_learning=False)
"""


@pytest.fixture(scope="module")
def author(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which an author starts the tests of two subfolders, with a third as pytest's root."""
    folder = tmp_path_factory.mktemp("author")
    for name in ("root", "beside/authors", "elsewhere"):
        (folder / name).mkdir(parents=True)
    for name in ("leaks.py", "beside/leaks.py", "beside/authors/leaks.py"):
        (folder / name).write_text(LEAKS.read_text())
    (folder / "beside" / "test_beside.py").write_text(TESTS_BESIDE_THE_PLUGIN)
    (folder / "elsewhere" / "test_elsewhere.py").write_text(TESTS_ELSEWHERE)
    return folder


@pytest.fixture(scope="module")
def reports(author: Path) -> dict[str, str]:
    """The output of each test in one run; all of them fail."""
    result = run_pytest("beside", "elsewhere", f"--rootdir={author / 'root'}", cwd=author)
    assert result.returncode == 1 and "5 failed" in result.stdout, result.stdout
    _, *parts = re.split(r"^_{3,} (\S+) _{3,}$", result.stdout.partition("short test summary")[0], flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_a_three_line_test_checks_the_plugin_file_beside_it(reports: dict[str, str]) -> None:
    assert f"2 findings:\n1. {SENTENCE}" in reports["test_by_import"]


def test_the_fixture_finds_the_file_beside_the_test_from_any_folder(reports: dict[str, str]) -> None:
    assert SENTENCE in reports["test_by_fixture"]


def test_no_traceback_is_shown(reports: dict[str, str]) -> None:
    assert not any(words in shown for shown in reports.values() for words in ("core/testing.py", "def test_"))


@pytest.mark.parametrize("given", ["leaks.py", "./leaks.py"])
def test_a_file_is_looked_for_only_beside_the_test(author: Path, reports: dict[str, str], given: str) -> None:
    """Not in the folder where pytest was started, which may hold another file of that name."""
    sentence = f"{author / 'elsewhere' / 'leaks.py'}: expected a plugin's .py file, and there is none."
    assert sentence in reports[f"test_of_no_file_beside_it[{given}]"]


def test_a_missing_plugin_fails_with_one_sentence(reports: dict[str, str]) -> None:
    sentence = "There is no dataset plugin 'no_such_task'. Known are: addition"
    assert sentence in reports["test_by_a_name_that_is_not_there"]


def test_tests_that_do_not_use_it_load_nothing_heavy(tmp_path: Path) -> None:
    modules = '{"torch", "PySide6", "numpy", "pydantic", "core.engine"}'
    (tmp_path / "test_it.py").write_text(f"import sys\ndef test_it():\n    assert not {modules} & set(sys.modules)\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-P", "-m", "pytest", "-W", "error", "-p", "core.testing"]
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200)
    assert result.returncode == 0, result.stdout
