"""The free memory within the limits of control groups: of a container, a service, or a job on a cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.machine import control_groups
from core.machine.free_memory import free_memory

VERSION_2 = "0::/job/step\n"
VERSION_1 = "7:cpu,cpuacct:/\n4:memory:/job/step\n"


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of all control groups; one in the other is the step of a job."""
    monkeypatch.setattr(control_groups, "OWN", tmp_path / "own_groups")
    monkeypatch.setattr(control_groups, "MOUNTED", tmp_path)
    (tmp_path / "memory" / "job" / "step").mkdir(parents=True)
    (tmp_path / "job" / "step").mkdir(parents=True)
    return tmp_path


@pytest.mark.parametrize(
    ("stat", "free"), [("", 40), ("anon 7\ninactive_file 25\nactive_file 9\n", 65), ("anon 7\n", 40)]
)
@pytest.mark.parametrize("group", ["job/step", "job", ""], ids=["own", "around", "container"])
def test_files_that_a_group_has_cached_count_as_free(groups: Path, group: str, stat: str, free: int) -> None:
    (groups / "own_groups").write_text(VERSION_2)
    for name, text in (("memory.max", "100\n"), ("memory.current", "60\n"), ("memory.stat", stat)):
        (groups / group / name).write_text(text)
    assert free_memory() == free


@pytest.mark.parametrize("group", ["job/step", "job", ""], ids=["own", "around", "container"])
def test_version_1_has_other_names(groups: Path, group: str) -> None:
    (groups / "own_groups").write_text(VERSION_1)
    stat = "inactive_file 1\ntotal_inactive_file 25\n"
    files = (("memory.limit_in_bytes", "100\n"), ("memory.usage_in_bytes", "60\n"), ("memory.stat", stat))
    for name, text in files:
        (groups / "memory" / group / name).write_text(text)
    assert free_memory() == 65


def test_groups_without_a_limit_leave_what_the_machine_has(groups: Path) -> None:
    (groups / "own_groups").write_text(VERSION_2)
    before = free_memory()
    for group in ("job/step", "job"):
        (groups / group / "memory.max").write_text("max\n")
        (groups / group / "memory.current").write_text("60\n")
    after = free_memory()
    assert before is not None and after is not None and min(before, after) > 1e6
