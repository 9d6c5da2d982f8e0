"""The counting of cases: every promise has a test and a row in docs/reliability.md, and a lost case is reported."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reliability import conftest, counting
from tests.reliability.cases import Cases, Result, merge_with_file, table_lines
from tests.reliability.privileges import needs_unprivileged_mount
from tests.reliability.promises import PROMISES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reliability.md"
NOT_YET = "not tested yet"
TESTS_WITH_LOST_CASES = """
import pytest

def test_with_a_lost_case(cases):
    for number in range(5):
        with cases.trying(f"case {number}"):
            assert number != 3

def test_with_cases_lost_by_fail(cases):
    for number in range(5):
        with cases.trying(f"item {number}"):
            if number == 1:
                with pytest.raises(ValueError):
                    pass
            if number == 3:
                pytest.fail("given up")

@pytest.mark.timeout(0.2, method="signal")
def test_that_hangs(cases):
    for number in range(2):
        with cases.trying(f"hang {number}"):
            while True:
                pass

def test_one_case():
    pass
"""


def rows() -> dict[int, str]:
    """The rows of docs/reliability.md by the number of their promise."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return {int(match[1]): line for line in lines if (match := re.match(r"\| (\d+) \|", line))}


def test_every_promise_has_a_row() -> None:
    assert list(rows()) == list(PROMISES)


@pytest.mark.parametrize("number", PROMISES)
def test_a_row_links_its_promises_test(number: int) -> None:
    name, row = PROMISES[number], rows()[number]
    file = ROOT / "tests" / "reliability" / f"test_{name}.py"
    has_tests = file.is_file() and "\ndef test_" in file.read_text(encoding="utf-8")
    assert (f"(../tests/reliability/test_{name}.py)" in row) == has_tests
    assert (NOT_YET in row) != has_tests


def test_the_tests_of_the_promises_are_counted() -> None:
    hooks = [name for name in vars(counting) if name.startswith("pytest_")]
    assert len(hooks) == 2 and all(getattr(conftest, name) is getattr(counting, name) for name in hooks)


def test_a_test_with_lost_cases_tries_all_cases_and_fails(tmp_path: Path) -> None:
    folder = tmp_path / "tests" / "reliability"
    folder.mkdir(parents=True)
    (folder / "conftest.py").write_text("from tests.reliability.counting import *\n", encoding="utf-8")
    (folder / "test_disk.py").write_text(TESTS_WITH_LOST_CASES, encoding="utf-8")
    plugins = ["-p", "no:cacheprovider", "-p", "pytest_timeout"]
    command = [sys.executable, "-m", "pytest", *plugins, f"--rootdir={tmp_path}", str(folder)]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # others load Qt and hypothesis
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert result.returncode == 1, result.stdout
    assert "lost 1 of 5" in result.stdout and "case 3" in result.stdout and "case 2" not in result.stdout
    assert "lost 2 of 5" in result.stdout and "item 1\n" in result.stdout and "given up" in result.stdout
    assert "from pytest-timeout" in result.stdout
    assert re.search(r"^ 4 disk +12 +8 +4 +0 +\d+$", result.stdout, flags=re.MULTILINE), result.stdout


@needs_unprivileged_mount
def test_the_disk_tests_are_skipped_when_root_may_not_mount() -> None:
    """As in a plain container, where the tests that mount a disk would fail."""
    code = "from tests.reliability.privileges import *; print(needs_mount.args, needs_prlimit.args)"
    command = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-all", sys.executable, "-c", code]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (result.stdout, result.stderr) == ("(True,) (False,)\n", "")


def test_results_of_the_same_commit_are_merged(tmp_path: Path) -> None:
    file = tmp_path / "build" / "kept.json"
    atomic, disk = "tests/reliability/test_atomic.py::test_a", "tests/reliability/test_disk.py::test_b"
    merge_with_file(file, "one", {atomic: Result(tried=50, lost=1, seconds=9.0)})
    merge_with_file(file, "one", {atomic: Result(tried=50, seconds=8.0)})  # fixed, and tried again
    merged = merge_with_file(file, "one", {disk: Result(tried=8, skipped=1, seconds=7.0)})
    assert [line.split() for line in table_lines(merged)[1:]] == [
        ["1", "atomic", "50", "50", "0", "0", "8"],
        ["4", "disk", "8", "8", "0", "1", "7"],
    ]
    assert list(merge_with_file(file, "another", {disk: Result(tried=8)})) == [disk]


def test_a_lost_case_with_a_path_that_is_not_utf_8_is_reported() -> None:
    """Under xdist, text that cannot be encoded as UTF-8 would end the whole session."""
    cases = Cases()
    with cases.trying("in \udcff"):
        raise AssertionError("no run in \udcff")
    assert [message.encode().count(b"in \\udcff") for message in cases.lost] == [3]
