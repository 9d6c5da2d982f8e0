"""Every answer about the model has the time it took the engine."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from core.answers.head_ablation import HeadId
from core.answers.timed import TimedAnswer, engine_seconds
from core.engine import Engine
from core.requests import DissectHead, LeaveOutHeads, MakeMasks, Request, SearchBeam, Translate
from tests.core.watcher import answered, begun

pytestmark = pytest.mark.usefixtures("engines_share_a_host")

TEXT = "1 2 3"
QUESTIONS: tuple[Request[Any], ...] = (
    Translate(texts=(TEXT,)),
    Translate(texts=(TEXT, "3 2"), with_attention=True),
    SearchBeam(source=TEXT, beam_size=3, length_penalty=0.6),
    DissectHead(source=TEXT, reference=TEXT, kind="cross", layer=0, head=0),
    LeaveOutHeads(source=TEXT, reference=TEXT, heads=(HeadId("cross", 0, 0),)),
    MakeMasks(target=TEXT, num_padding=1),
)


def test_each_answer_has_a_time_no_longer_than_its_request_took(tmp_path: Path) -> None:
    with Engine() as engine:
        begun(engine, tmp_path)
        for question in QUESTIONS:
            started = time.perf_counter()
            answer = answered(engine, question)
            assert 0 < engine_seconds(answer) <= time.perf_counter() - started


def test_times_of_several_answers_add_up_and_untimed_answers_count_as_zero() -> None:
    assert engine_seconds((TimedAnswer(seconds=0.5), TimedAnswer(seconds=0.25))) == pytest.approx(0.75)
    assert engine_seconds(None) == engine_seconds(("a", 1)) == 0
