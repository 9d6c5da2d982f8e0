"""Finds the sentence that panels show, and the step of its weights; or says why there is none to show."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from core.history import History
from core.probes import ProbedSentence
from core.run_files.documents import DamagedFile
from gui.sentences.selection import Selection
from gui.sentences.tokens import quoted


@dataclass(frozen=True, eq=False)
class ShownSentence:
    """One sentence as the model saw it with the weights of `step`."""

    sentence: ProbedSentence
    step: int
    run: str = ""  # the name of its run, if not the one that the window shows
    other: ShownSentence | None = None  # what it is compared with

    @property
    def name(self) -> str:
        """Which weights these are: `step 200`, or `NAME at step 200` for another run's."""
        return f"{self.run} at step {self.step:,}" if self.run else f"step {self.step:,}"

    @property
    def short_name(self) -> str:
        """A shorter name, for use beside a title with the full one."""
        return "the other run" if self.run else self.name


@dataclass(frozen=True)
class NothingShown:
    """There is nothing to show; `reason` says why, or is empty if the panel's own `empty_sentence` is to be shown."""

    reason: str = ""


Shown = ShownSentence | NothingShown
SentenceSource = Callable[[History, int], Shown]


def shown_sentence(selection: Selection, history: History, step: int) -> Shown:
    """The chosen sentence at `step`, never another in its place.

    A sentence that was added later is computed only for the steps whose weights are kept: if the probe of `step` lacks
    it, the probe of the newest kept weights at or before `step` is used.
    """
    try:
        return _shown_sentence(selection, history, step)
    except DamagedFile as error:
        return NothingShown(str(error))


def _shown_sentence(selection: Selection, history: History, step: int) -> Shown:
    sentences = history.probes.sentences
    if not sentences:
        history.probes.at(step)  # raises if there are probes but none can be read
        return NothingShown()
    wanted = sentences[selection.sentence_index(sentences)]
    kept = bisect_right(history.snapshot_steps, step)
    weights_of = history.snapshot_steps[kept - 1] if kept else None
    for candidate in (step, weights_of):
        found = _find(wanted, history, candidate)
        if found is not None:
            return found
    return NothingShown(_why_not(wanted, step, weights_of))


def _find(source: str, history: History, step: int | None) -> ShownSentence | None:
    probe = history.probes.at(step) if step is not None else None
    if probe is None:
        return None
    return next((ShownSentence(one, probe.step) for one in probe.sentences if one.source == source), None)


def _why_not(source: str, step: int, weights_of: int | None) -> str:
    added = f"{quoted(source)} was added later"
    if weights_of is None:
        return f"{added}, and no weights are kept at or before step {step:,}: look at a later step."
    return f"{added}: it is being computed for step {weights_of:,}, and will appear here."
