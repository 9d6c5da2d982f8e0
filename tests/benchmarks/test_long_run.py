"""Measures opening the example run, and moving the playhead once in each view; a RUN that is none is refused."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import long_run
from gui.runs.rows import example_path

SHORT_BENCHMARK = """
import sys
from core.machine.torch_import import stub_out_tracing
stub_out_tracing()
from pathlib import Path
from benchmarks import long_run
long_run.OPENINGS = long_run.MOVES = 1
long_run.measure(Path(sys.argv[1]))
"""


def test_every_view_is_measured(tmp_path: Path) -> None:
    run = shutil.copytree(example_path(), tmp_path / "runs" / "run")
    own = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    measured = subprocess.run(
        [sys.executable, "-c", SHORT_BENCHMARK, str(run)],
        capture_output=True, text=True, timeout=200, env=os.environ | own, check=True,
    )  # fmt: skip
    rows = [line.partition("  ")[0] for line in measured.stdout.splitlines()]
    assert rows[0].startswith("opened (800 steps, ")
    scenes = ("Train", "Train, More", "Attention", "Attention, a difference and entropy", "Translate")
    assert rows[1:] == [f"moved, {scene}" for scene in scenes]


def test_what_is_no_run_is_refused_before_a_window_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(long_run, "measure", lambda _: pytest.fail("a window was opened"))
    monkeypatch.setattr(sys, "argv", ["long_run", str(tmp_path / "gone")])
    with pytest.raises(SystemExit) as ended:
        long_run.main()
    assert ended.value.code == 2
    assert f"{tmp_path / 'gone'} is not a run" in capsys.readouterr().err
