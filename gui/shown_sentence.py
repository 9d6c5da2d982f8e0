"""Which sentence a picture of the model shows, and with the weights of which step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.history import History
from core.probes import ProbedSentence
from gui.selection import Selection


@dataclass(frozen=True, eq=False)
class ShownSentence:
    """One sentence as the model saw it with the weights of `step`."""

    sentence: ProbedSentence
    step: int


Source = Callable[[History, int], ShownSentence | None]


def probed(selection: Selection) -> Source:
    """The chosen sentence of the newest probe at or before a step."""

    def sentence_at(history: History, step: int) -> ShownSentence | None:
        probe = history.probe(step)
        sentence = None if probe is None else selection.sentence_of(probe)
        return None if probe is None or sentence is None else ShownSentence(sentence, probe.step)

    return sentence_at
