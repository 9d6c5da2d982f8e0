"""The JSON lines of events that `--json` prints."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.cli.output import event_record, print_json
from core.events import ProbeDone, RunFinished, StepsDone, ValidationDone
from tests.core.examples import probe


def printed(record: dict[str, object], capsys: pytest.CaptureFixture[str]) -> object:
    print_json(record)
    line, rest = capsys.readouterr().out.split("\n")  # not splitlines(): texts may contain U+2028
    assert rest == ""
    return json.loads(line)


def test_steps_keep_their_arrays(capsys: pytest.CaptureFixture[str]) -> None:
    event = StepsDone(first_step=3, arrays={"train/loss": np.array([1.5, np.nan])})
    assert printed(event_record(event), capsys) == {
        "event": "steps_done",
        "first_step": 3,
        "arrays": {"train/loss": [1.5, None]},
    }


def test_the_last_line_has_the_keys_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    event = RunFinished(run=Path("/runs/ü"), step=3, reason="max_steps", metrics={"valid/loss": 0.5})
    assert printed(event_record(event), capsys) == {
        "event": "run_finished",
        "run": str(Path("/runs/ü")),
        "reason": "max_steps",
        "step": 3,
        "metrics": {"valid/loss": 0.5},
    }


def test_a_probe_is_printed_with_its_texts_without_arrays(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(event_record(ProbeDone(probe=probe(30))), capsys) == {
        "event": "probe_done",
        "step": 30,
        "sentences": [{"source": "ein kaltes Bier", "output": "a a a"}, {"source": "\u2028 ∫", "output": ""}],
    }


def test_a_validation_leaves_its_sentences_in_the_run_folder() -> None:
    record = event_record(ValidationDone(step=3, metrics={"valid/loss": 0.5}, sentences=(), is_best=True))
    assert record == {"event": "validation_done", "step": 3, "metrics": {"valid/loss": 0.5}, "is_best": True}


def test_text_stays_readable(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"source": "möchte 🙂 שלום"})
    assert "möchte 🙂 שלום" in capsys.readouterr().out
