"""References that a run knows."""

from __future__ import annotations

from core.events import ProbeDone
from core.history import History
from core.probes import Probe
from gui.sentences.known_reference import known_reference
from tests.gui.builders import sentence


def test_the_reference_of_a_probed_sentence_is_known() -> None:
    history = History()
    assert known_reference(history, "ich will") is None
    history.apply(ProbeDone(probe=Probe(step=0, sentences=(sentence(), sentence("du", has_reference=False)))))
    assert known_reference(history, "ich will") == "i want"
    assert known_reference(history, "du") is None
    assert known_reference(history, "er") is None
