"""The frame itself: every promise has its test and its row, and what is lost is seen."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reliability.cases import Cases, Result, merge_with_file, table_lines
from tests.reliability.privileges import needs_unprivileged_mount
from tests.reliability.promises import PROMISES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reliability.md"
NOT_YET = "not tested yet"
LOSING = """
import pytest

def test_losing(cases):
    for number in range(5):
        with cases.trying(f"case {number}"):
            assert number != 3

def test_losing_by_what_is_no_exception(cases):
    for number in range(5):
        with cases.trying(f"item {number}"):
            if number == 1:
                with pytest.raises(ValueError):
                    pass
            if number == 3:
                pytest.fail("given up")

@pytest.mark.timeout(0.2, method="signal")
def test_without_end(cases):
    for number in range(2):
        with cases.trying(f"hang {number}"):
            while True:
                pass

def test_one_case():
    pass
"""


def rows() -> dict[int, str]:
    """The page's rows by their promise's number."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return {int(match[1]): line for line in lines if (match := re.match(r"\| (\d+) \|", line))}


def test_every_promise_has_a_row() -> None:
    assert list(rows()) == list(PROMISES)


@pytest.mark.parametrize("number", PROMISES)
def test_a_row_names_the_test_that_exists(number: int) -> None:
    name, row = PROMISES[number], rows()[number]
    file = ROOT / "tests" / "reliability" / f"test_{name}.py"
    has_tests = file.is_file() and "\ndef test_" in file.read_text(encoding="utf-8")
    assert (f"(../tests/reliability/test_{name}.py)" in row) == has_tests
    assert (NOT_YET in row) != has_tests


def test_a_lost_case_fails_its_test_after_the_others_and_is_counted(tmp_path: Path) -> None:
    folder = tmp_path / "tests" / "reliability"
    folder.mkdir(parents=True)
    (folder / "conftest.py").write_text("from tests.reliability.conftest import *\n", encoding="utf-8")
    (folder / "test_disk.py").write_text(LOSING, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout
    assert "lost 1 of 5" in done.stdout and "case 3" in done.stdout and "case 2" not in done.stdout
    assert "lost 2 of 5" in done.stdout and "item 1\n" in done.stdout and "given up" in done.stdout
    assert "from pytest-timeout" in done.stdout
    assert re.search(r"^ 4 disk +12 +8 +4 +0 +\d+$", done.stdout, flags=re.MULTILINE), done.stdout


@needs_unprivileged_mount
def test_a_root_that_may_not_mount_is_no_root_that_mounts() -> None:
    """As in a plain container: the tests of the disk are skipped there, and none of them fails."""
    rights = "from tests.reliability.privileges import *; print(needs_mount.args, needs_prlimit.args)"
    without = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-all", sys.executable, "-c", rights]
    done = subprocess.run(without, cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("(True,) (False,)\n", "")


def test_pieces_tried_on_one_commit_add_up(tmp_path: Path) -> None:
    file = tmp_path / "build" / "kept.json"
    atomic, disk = "tests/reliability/test_atomic.py::test_a", "tests/reliability/test_disk.py::test_b"
    merge_with_file(file, "one", {atomic: Result(tried=50, lost=1, seconds=9.0)})
    merge_with_file(file, "one", {atomic: Result(tried=50, seconds=8.0)})  # mended, and tried again
    both = merge_with_file(file, "one", {disk: Result(tried=8, skipped=1, seconds=7.0)})
    assert [line.split() for line in table_lines(both)[1:]] == [
        ["1", "atomic", "50", "50", "0", "0", "8"],
        ["4", "disk", "8", "8", "0", "1", "7"],
    ]
    assert list(merge_with_file(file, "another", {disk: Result(tried=8)})) == [disk]


def test_of_a_strange_path_can_be_told_what_was_lost() -> None:
    """Under xdist, a text that is no UTF-8 would end all tests."""
    cases = Cases()
    with cases.trying("in \udcff"):
        raise AssertionError("no run in \udcff")
    assert [message.encode().count(b"in \\udcff") for message in cases.lost] == [3]
