"""Which sentence is shown."""

from __future__ import annotations

from core.events import ProbeDone
from core.history import History
from core.probes import Probe
from gui.selection import Selection
from gui.shown_sentence import probed
from tests.gui.builders import sentence


def test_the_chosen_sentence_of_the_newest_probe_before() -> None:
    history, selection = History(), Selection()
    for step in (0, 8):
        history.take(ProbeDone(probe=Probe(step=step, sentences=(sentence("ich will"), sentence("du willst")))))
    selection.choose(sentence=1)
    shown = probed(selection)(history, 7)
    assert shown is not None and (shown.step, shown.sentence.source) == (0, "du willst")
    assert probed(selection)(history, 8).step == 8


def test_nothing_before_the_first_probe() -> None:
    assert probed(Selection())(History(), 3) is None
