"""What happened in a run, told from its history."""

from __future__ import annotations

import numpy as np

from core.events import Prepared, ProbeDone, SettingChanged, StepsDone, ValidationDone
from core.history import History
from core.marks import marks_of
from core.probes import Probe
from core.settings.presets import read_preset
from tests.gui.builders import aligned_sentence


def validated(step: int, exact_match: float, *, is_best: bool = False) -> ValidationDone:
    return ValidationDone(step=step, metrics={"valid/exact_match": exact_match}, sentences=(), is_best=is_best)


def test_nothing_happened_yet() -> None:
    assert marks_of(History()) == ()


def test_marks_are_the_first_right_answer_the_best_changes_and_the_found_alignment() -> None:
    history = History()
    history.take(
        Prepared(
            config=read_preset("toy_german_english"),
            num_parameters=1,
            src_tokens=("a",),
            tgt_tokens=("b",),
            num_pairs={},
            limits={},
            examples=(),
            run=None,
        )
    )
    for event in (
        StepsDone(first_step=1, arrays={"train/loss": np.ones(400)}),
        validated(100, 0.0, is_best=True),
        validated(200, 0.125, is_best=True),
        validated(300, 0.5, is_best=True),
        validated(400, 0.4),
        SettingChanged(step=250, key="training.max_grad_norm", value=0.5),
        ProbeDone(probe=Probe(step=20, sentences=(aligned_sentence((2, 2, 2)),))),
        ProbeDone(probe=Probe(step=50, sentences=(aligned_sentence(),))),
        ProbeDone(probe=Probe(step=80, sentences=(aligned_sentence(),))),
    ):
        history.take(event)
    assert [(mark.step, mark.kind) for mark in marks_of(history)] == [
        *((50, "aligned"), (200, "right"), (250, "setting"), (300, "best")),
    ]
    assert [mark.text for mark in marks_of(history)] == [
        "step 50: layer 2 head 3 found the alignment",
        "step 200: the first right answers, 12.5% of the validation's sentences",
        "step 250: training.max_grad_norm set to 0.5",
        "step 300: the best validation so far",
    ]
