"""The growth benchmark's arithmetic, and one real measurement at a tiny size."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.growth import Point, exponent, lines, measure_point
from benchmarks.speed.sizes import TINY


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux reports peak memory")
def test_a_point_is_measured_in_a_separate_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    point = measure_point(TINY, "num_layers", 2)
    assert point.value == 2
    assert point.seconds > 0
    assert point.remembered is not None and point.allocated is not None
    assert min(point.bytes, point.allocated) > point.remembered > 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peaks are counted in kilobytes on Linux only")
def test_processes_share_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    two_processes = measure_point(TINY, "processes", 2)
    assert two_processes.value == 2 and two_processes.seconds > 0
    assert two_processes.bytes > 50e6, "the peak must include the memory of torch itself"


def test_exponents_are_those_of_the_last_two_points() -> None:
    points = [Point(1, 1.0, 5.0), Point(2, 2.0, 5.0), Point(4, 8.0, 10.0)]
    assert exponent(points, "seconds") == pytest.approx(2.0)
    assert exponent(points, "bytes") == pytest.approx(1.0)
    assert list(lines("length", points))[-1] == "| exponent | 2.00 | 1.00 | | |"
