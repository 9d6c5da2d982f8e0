"""Which probe can replace a translation by the engine."""

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
    """A history with three probes of one sentence."""
    made = History()
    made.apply(prepared())
    for step in (0, 100, 300):
        made.apply(ProbeDone(probe=Probe(step=step, sentences=(sentence(),))))
    return made


def step_of(history: History, step: int | None) -> int | None:
    """The step of the probe that is read for the weights of `step`, if any."""
    request = Translate(texts=("ich will",), references=("i want",), step=step)
    found = probed_translation(request, None, history)
    return None if found is None else found.step


def test_the_nearest_earlier_probe_is_read_but_none_for_the_current_weights(history: History) -> None:
    assert [step_of(history, step) for step in (0, 99, 100, 400, None)] == [0, 0, 100, 300, None]


def test_weights_kept_nearer_than_a_probe_are_queried(history: History) -> None:
    history.checkpoint_steps = [100, 350]
    assert [step_of(history, step) for step in (120, 350, 400)] == [100, None, None]


def test_a_probe_without_kept_weights_is_read_only_if_no_weights_are_kept(history: History) -> None:
    assert step_of(history, 300) == 300  # no weights are kept
    history.checkpoint_steps = [100]
    assert [step_of(history, step) for step in (99, 199, 300)] == [0, 100, None]
