"""A benchmark whose training or measurement fails says why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.check_learning import train
from benchmarks.growth import measure_point
from benchmarks.speed.sizes import TINY


def test_a_training_that_fails_gives_its_reason(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"^headlight: copy_tas: no such preset(.|\n)*ended with exit code 2$"):
        train("copy_tas", tmp_path)


def test_a_measurement_that_fails_gives_its_reason() -> None:
    with pytest.raises(SystemExit, match=r"d_model(.|\n)*benchmarks.growth_processes .* ended with exit code 1$"):
        measure_point(replace(TINY, num_heads=3), "processes", 1)
