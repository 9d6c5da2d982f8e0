"""Which step's probe stands for a translation."""

from __future__ import annotations

import pytest

from core.events import ProbeDone
from core.history import History
from core.probes import Probe
from core.requests import Translate
from gui.sentences.probed_translation import probed_translation
from tests.gui.builders import sentence
from tests.gui.panels.conftest import prepared


@pytest.fixture
def history() -> History:
    """Three probes of one sentence."""
    made = History()
    made.apply(prepared())
    for step in (0, 100, 300):
        made.apply(ProbeDone(probe=Probe(step=step, sentences=(sentence(),))))
    return made


def step_of(history: History, step: int | None) -> int | None:
    """Of the probe that is read for the weights of a step."""
    request = Translate(texts=("ich will",), references=("i want",), step=step)
    found = probed_translation(request, None, history)
    return None if found is None else found.step


def test_the_nearest_probe_before_is_read_and_none_for_the_weights_of_this_moment(history: History) -> None:
    assert [step_of(history, step) for step in (0, 99, 100, 400, None)] == [0, 0, 100, 300, None]


def test_weights_that_are_kept_nearer_are_asked(history: History) -> None:
    history.checkpoint_steps = [100, 350]
    assert [step_of(history, step) for step in (120, 350, 400)] == [100, None, None]


def test_a_probe_whose_weights_were_thinned_out_is_not_read_where_older_ones_answer(history: History) -> None:
    assert step_of(history, 300) == 300  # no weights, no other answer
    history.checkpoint_steps = [100]
    assert [step_of(history, step) for step in (99, 199, 300)] == [0, 100, None]
