"""Reading parts of metrics.jsonl; reading and writing all of it is tested through `RunFolder`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.events import SettingChanged
from core.run_files.documents import DamagedFile
from core.run_files.metrics_file import MetricsFile
from core.run_files.metrics_lines import setting_line, step_lines, validation_line


@pytest.fixture
def metrics(tmp_path: Path) -> Path:
    """A file of 1,000 steps whose loss is their number."""
    path = tmp_path / "metrics.jsonl"
    MetricsFile(path).append(step_lines(1, {"train/loss": np.arange(1.0, 1001.0)}))
    return path


def test_a_sample_begins_with_the_first_step_and_is_evenly_spread(metrics: Path) -> None:
    steps = [record["step"] for record in MetricsFile(metrics).sample(10)]
    assert steps[0] == 1 and len(steps) == 10
    assert all(80 <= stride <= 120 for stride in np.diff(steps))


def test_sampling_a_short_file_gives_each_line_once(tmp_path: Path) -> None:
    MetricsFile(tmp_path / "metrics.jsonl").append(step_lines(1, {"train/loss": np.array([3.0, 2.0])}))
    assert [record["step"] for record in MetricsFile(tmp_path / "metrics.jsonl").sample(50)] == [1, 2]


def test_damaged_and_incomplete_lines_are_skipped(metrics: Path) -> None:
    lines = metrics.read_bytes().split(b"\n")
    lines[0] = lines[0].replace(b"1.0", b"7.0")
    metrics.write_bytes(b"\n".join(lines)[:-20])
    steps = [record["step"] for record in MetricsFile(metrics).sample(1000)]
    assert 1 not in steps and 1000 not in steps and len(steps) > 500


@pytest.mark.parametrize("num_bytes", [100, 100_000])
def test_a_file_of_zeros_is_called_damaged_and_one_that_ends_within_a_line_cut_off(
    metrics: Path, num_bytes: int
) -> None:
    size, whole = metrics.stat().st_size, metrics.read_bytes()
    first = whole.index(b"\n") + 1
    metrics.write_bytes(bytes(num_bytes))
    with pytest.raises(DamagedFile, match=r"damaged \(only 0 bytes at its beginning are whole lines\)\."):
        MetricsFile(metrics, min_size=size).read()
    metrics.write_bytes(whole[: first + 20])
    with pytest.raises(DamagedFile, match=rf"cut off \({first} of {size:,} bytes are left\)\."):
        MetricsFile(metrics, min_size=size).read()


def test_a_missing_file_gives_no_records(tmp_path: Path) -> None:
    assert MetricsFile(tmp_path / "metrics.jsonl").sample(10) == []
    assert MetricsFile(tmp_path / "metrics.jsonl").records_of_step(10) == []


@pytest.mark.parametrize("num_later", [0, 1, 2000])  # 2000 are more than the first block read from the end
def test_the_lines_of_one_step_are_read_from_the_end(metrics: Path, num_later: int) -> None:
    file = MetricsFile(metrics)
    file.append(validation_line(1000, 0.0, {"valid/loss": 1.0}, is_best=True))
    file.append(setting_line(0.0, SettingChanged(step=1000, key="seed", value=1)))
    file.append(step_lines(1001, {"train/loss": np.zeros(num_later)}))
    kinds = [set(record) & {"train/loss", "is_best", "setting"} for record in file.records_of_step(1000)]
    assert kinds == [{"train/loss"}, {"is_best"}, {"setting"}]
    assert [record["step"] for record in file.records_of_step(1)] == [1]
    assert file.records_of_step(5000) == []


def test_the_end_of_the_file_tells_the_last_whole_step_and_how_much_comes_before_it(metrics: Path) -> None:
    lines = metrics.read_bytes().splitlines(keepends=True)
    assert MetricsFile(metrics).last_step() == 1000
    assert MetricsFile(metrics).size_without_last_line() == len(b"".join(lines[:-1]))
    metrics.write_bytes(b"".join(lines)[:-20])
    assert MetricsFile(metrics).last_step() == 999


def test_validations_and_settings_are_found_wherever_they_are_in_a_long_file(tmp_path: Path) -> None:
    """The file is searched in blocks of a mebibyte, whose ends lie within a line."""
    path, steps, lines = tmp_path / "metrics.jsonl", [*range(1, 3001)], list[bytes]()
    for step in steps:
        lines.append(step_lines(step, {"train/loss": np.array([1.0])}))
        lines.append(validation_line(step, 0.0, {"a metric with a long name " * 25: 1.0}, is_best=True))
        lines.append(setting_line(0.0, SettingChanged(step=step, key="long " * 25, value=step)))
    MetricsFile(path).append(b"".join(lines))
    assert path.stat().st_size > 2 * 2**20
    assert [record["step"] for record in MetricsFile(path).validations()] == steps
    assert [record["value"] for record in MetricsFile(path).settings()] == steps
    damaged = path.read_bytes().replace(b'"value": 2800,', b'"value": 2801,')
    path.write_bytes(damaged)
    position = damaged.index(b'"value": 2801,')
    assert [record["value"] for record in MetricsFile(path, durable_size=position).settings()] == steps[:2799]
    with pytest.raises(DamagedFile):
        MetricsFile(path, durable_size=position + 100).settings()
