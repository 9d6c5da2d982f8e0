"""With --help, each module that `python -m` runs describes itself and does nothing else."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXPECTED = {"growth": "length, batch_size, d_model", "check_learning": "copy_task", "window_cost": "PRESET"}
PROGRAMS = [
    path
    for folder in ("benchmarks", "scripts")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if 'if __name__ == "__main__"' in path.read_text(encoding="utf-8")
    and "peers" not in path.parts  # scripts of other libraries
]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_help_describes_the_program(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [path.name, "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(path), run_name="__main__")
    assert ended.value.code == 0
    help_text = capsys.readouterr().out
    assert help_text.startswith("usage: ") and EXPECTED.get(path.stem, "") in help_text


@pytest.mark.parametrize(
    "name", ["growth", "check_learning", "documents", "precision", "gpu", "window_cost", "speed/__main__"]
)
def test_an_unknown_name_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [name, "nothing_of_it"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "benchmarks" / f"{name}.py"), run_name="__main__")
    assert ended.value.code == 2
    assert "nothing_of_it; choose from " in capsys.readouterr().err
