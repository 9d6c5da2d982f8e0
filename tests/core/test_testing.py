"""What an author's test run shows: the findings' sentences and nothing of ours. A stranger's run notices nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "core" / "doctor" / "cases"
LEAKS = CASES / "leaks.py"
SENTENCE = "9 of the 90 different sources of the valid split are in the train split too"


def pytest_run(folder: Path, test: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Runs pytest as somebody who has headlight installed, and no other plugin of pytest."""
    (folder / "test_it.py").write_text(test)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-P", "-m", "pytest", "-W", "error", "-p", "core.testing", *options]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=100)


def test_three_lines_run_the_whole_contract_on_the_file_beside_the_test(tmp_path: Path) -> None:
    (tmp_path / "authors").mkdir()
    (tmp_path / "authors" / "leaks.py").write_text(LEAKS.read_text())
    test = 'from core.testing import check_plugin\ndef test_contract():\n    check_plugin("authors/leaks.py")\n'
    result = pytest_run(tmp_path, test)
    assert result.returncode == 1 and "1 failed" in result.stdout
    assert f"2 findings:\n1. {SENTENCE}" in result.stdout
    assert "core/testing.py" not in result.stdout and "def test_contract" not in result.stdout  # no traceback


def test_the_fixture_finds_the_file_beside_the_test_from_any_folder(tmp_path: Path) -> None:
    (tmp_path / "authors").mkdir()
    (tmp_path / "leaks.py").write_text(LEAKS.read_text())
    test = 'def test_contract(check_plugin):\n    check_plugin("leaks.py")\n'
    result = pytest_run(tmp_path, test, f"--rootdir={tmp_path / 'authors'}")
    assert result.returncode == 1 and SENTENCE in result.stdout


@pytest.mark.parametrize("given", ["leaks.py", "./leaks.py"])
def test_a_file_is_looked_for_beside_the_test_alone(tmp_path: Path, given: str) -> None:
    """Not in the folder that the tests were started in, where another of that name may lie."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "leaks.py").write_text(LEAKS.read_text())
    test = f'def test_contract(check_plugin):\n    check_plugin("{given}", with_learning=False)\n'
    (tmp_path / "tests" / "test_there.py").write_text(test)
    result = pytest_run(tmp_path, "", "tests")
    assert result.returncode == 1
    assert f"{tmp_path / 'tests' / 'leaks.py'}: expected a plugin's .py file, and there is none." in result.stdout


def test_a_plugin_that_is_not_there_fails_with_one_sentence(tmp_path: Path) -> None:
    result = pytest_run(tmp_path, 'def test_contract(check_plugin):\n    check_plugin("no_such_task")\n')
    assert result.returncode == 1 and "There is no dataset plugin 'no_such_task'. Known are: addition" in result.stdout


def test_a_strangers_run_loads_nothing_heavy(tmp_path: Path) -> None:
    heavy = '{"torch", "PySide6", "numpy", "pydantic", "core.engine"}'
    result = pytest_run(tmp_path, f"import sys\ndef test_it():\n    assert not {heavy} & set(sys.modules)\n")
    assert result.returncode == 0, result.stdout
