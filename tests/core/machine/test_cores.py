"""How many cores may be used, where a container or a service may take only part of the processor's time."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.machine import control_groups, cores
from core.machine.cores import usable_cores, usable_processors

CORES = 8
VERSION_2 = "0::/user.slice/some.service\n"
VERSION_1 = "5:memory:/\n3:cpu,cpuacct:/docker/4711\n1:name=systemd:/\n"


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The control groups of a machine with `CORES` physical cores of two processors each."""
    monkeypatch.setattr(cores, "_processors", lambda: range(2 * CORES))
    monkeypatch.setattr(cores, "_siblings", lambda number: f"{number % CORES},{number % CORES + CORES}")
    monkeypatch.setattr(control_groups, "OWN", tmp_path / "own_groups")
    monkeypatch.setattr(control_groups, "MOUNTED", tmp_path)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")


@pytest.mark.parametrize(
    ("limit", "expected"),
    [("max 100000", CORES), ("200000 100000", 2), ("250000 100000", 2), ("5000 10000", 1), ("9999999 100000", CORES)],
)
@pytest.mark.parametrize("group", ["user.slice/some.service", "user.slice", ""], ids=["own", "around", "container"])
def test_no_more_cores_than_a_group_may_take_the_time_of(machine: Path, group: str, limit: str, expected: int) -> None:
    (machine / "own_groups").write_text(VERSION_2)
    write(machine / group / "cpu.max", limit)
    assert usable_cores() == expected


@pytest.mark.parametrize(("quota", "expected"), [("-1", CORES), ("300000", 3)])
@pytest.mark.parametrize("group", ["docker/4711", ""], ids=["own", "container"])
def test_version_1_has_its_limit_in_two_files(machine: Path, group: str, quota: str, expected: int) -> None:
    (machine / "own_groups").write_text(VERSION_1)
    write(machine / "cpu" / group / "cpu.cfs_quota_us", quota)
    write(machine / "cpu" / group / "cpu.cfs_period_us", "100000")
    assert usable_cores() == expected


def test_the_lowest_limit_counts(machine: Path) -> None:
    (machine / "own_groups").write_text(VERSION_2)
    write(machine / "cpu.max", "200000 100000")
    write(machine / "user.slice" / "cpu.max", "400000 100000")
    assert usable_cores() == 2


def test_a_system_without_groups_gives_all_cores() -> None:
    assert (usable_cores(), usable_processors()) == (CORES, 2 * CORES)


def test_no_more_processors_than_a_group_may_take_the_time_of(machine: Path) -> None:
    (machine / "own_groups").write_text(VERSION_2)
    write(machine / "cpu.max", "900000 100000")
    assert (usable_cores(), usable_processors()) == (CORES, 9)
