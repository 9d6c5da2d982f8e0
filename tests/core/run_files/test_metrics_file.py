"""Reading metrics.jsonl otherwise than whole; the rest is driven through `RunFolder`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.run_files.metrics_file import append, sampled, step_lines


@pytest.fixture
def metrics(tmp_path: Path) -> Path:
    """1,000 steps whose loss is their step."""
    path = tmp_path / "metrics.jsonl"
    append(path, step_lines(1, {"train/loss": np.arange(1.0, 1001.0)}))
    return path


def test_a_sample_begins_with_the_first_step_and_is_evenly_spread(metrics: Path) -> None:
    steps = [record["step"] for record in sampled(metrics, 10)]
    assert steps[0] == 1 and len(steps) == 10
    assert all(80 <= stride <= 120 for stride in np.diff(steps))


def test_a_short_file_gives_each_line_once(tmp_path: Path) -> None:
    append(tmp_path / "metrics.jsonl", step_lines(1, {"train/loss": np.array([3.0, 2.0])}))
    assert [record["step"] for record in sampled(tmp_path / "metrics.jsonl", 50)] == [1, 2]


def test_damaged_and_torn_lines_are_passed_over(metrics: Path) -> None:
    lines = metrics.read_bytes().split(b"\n")
    lines[0] = lines[0].replace(b"1.0", b"7.0")
    metrics.write_bytes(b"\n".join(lines)[:-20])
    steps = [record["step"] for record in sampled(metrics, 1000)]
    assert 1 not in steps and 1000 not in steps and len(steps) > 500


def test_no_file_gives_nothing(tmp_path: Path) -> None:
    assert sampled(tmp_path / "metrics.jsonl", 10) == []
