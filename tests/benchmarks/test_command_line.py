"""A benchmark whose training or measurement fails says why."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks import check_learning, start_up, window_cost
from benchmarks.check_learning import PROMISES, train
from benchmarks.growth import measure_point
from benchmarks.speed.sizes import TINY


def test_a_training_that_fails_gives_its_reason(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"^headlight: copy_tas: no such preset(.|\n)*ended with exit code 2$"):
        train("copy_tas", tmp_path)


def test_a_measurement_that_fails_gives_its_reason() -> None:
    with pytest.raises(SystemExit, match=r"d_model(.|\n)*benchmarks.growth_processes .* ended with exit code 1$"):
        measure_point(replace(TINY, num_heads=3), "processes", 1)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_a_window_without_a_display_gives_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    for measure in (
        partial(window_cost.measure_gaps, "copy_task", tmp_path),
        partial(start_up.in_own_process, str(tmp_path), "runs"),
    ):
        with pytest.raises(SystemExit, match=r"^headlight: no window can be opened on this (.|\n)*exit code 2$"):
            measure()


def test_a_promise_without_a_time_names_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nothing(*_: Any) -> Any:
        return {}

    monkeypatch.setattr(check_learning, "train", lambda *_: ("run", 12.0))
    monkeypatch.setattr(check_learning, "evaluate", nothing)
    monkeypatch.setattr(check_learning, "notices_in", nothing)
    (promise,) = (one for one in PROMISES if one.preset == "joeynmt_reverse")
    assert check_learning.check(promise, Path())
    assert capsys.readouterr().out == f"{'joeynmt_reverse':26} trained   12.0 s   kept\n"
