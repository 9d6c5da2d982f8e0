"""The table of docs/documents.md: rewriting it keeps the text below it, and no run of it uses a GPU, as it says."""

from __future__ import annotations

import json
import platform
from pathlib import Path
from subprocess import PIPE
from types import SimpleNamespace
from unittest.mock import ANY

import pytest

from benchmarks import documents
from benchmarks.documents import EXPERIMENTS, PAGE, page


def test_the_page_equals_the_output_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")  # the machine on which its figures were measured
    written = PAGE.read_text(encoding="utf-8")
    rows = [line for line in written.splitlines() if line.startswith(tuple(f"| {one.name} |" for one in EXPERIMENTS))]
    assert len(rows) == 2 * len(EXPERIMENTS)
    assert page(rows, written) == written


def test_no_run_uses_a_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The training and its evaluation are replaced: only the command is looked at."""
    (tmp_path / "checkpoints" / "000002").mkdir(parents=True)
    finished = json.dumps({"run": str(tmp_path), "metrics": {"train/loss": 1.0}})
    commands = []

    def run(command: list[str], **_: object) -> SimpleNamespace:
        commands.append(command)
        return SimpleNamespace(stdout=finished)

    monkeypatch.setattr(documents, "subprocess", SimpleNamespace(run=run, PIPE=PIPE))
    figures = {"loss": 1.0, "exact_match": 0.0, "token_error_rate": 1.0}
    monkeypatch.setattr(documents, "evaluate", lambda *_: {**figures, "metrics": {}})
    assert documents.run("copy_task", ("training.max_steps=2",)) == documents.Outcome(2, ANY, 1.0, figures)
    assert "training.device=cpu" in commands[0]
