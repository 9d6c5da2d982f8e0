"""Compares the shown attention with that of another step or another run for the same sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.errors import UserError
from core.events import Prepared
from core.history import History
from core.probes import Probe, ProbedSentence
from core.run_folder import RunFolder
from gui.bridge import EngineBridge
from gui.sentences.selection import Selection
from gui.sentences.shown_sentence import NothingShown, Shown, ShownSentence, shown_sentence
from gui.sentences.tokens import quoted


@dataclass(frozen=True)
class Baseline:
    """What to subtract: the attention at `step` of a run."""

    step: int | None = None  # None: the shown step, or the newest before it that the other run has
    run: Path | None = None  # None: the shown run
    name: str = ""  # the other run's name


class AttentionComparison(QObject):
    """Gives the shown sentence together with the one to compare it with. Another run is read beside the GUI thread."""

    changed = Signal()  # another comparison was chosen, or more of the other run was read

    def __init__(self, bridge: EngineBridge, selection: Selection) -> None:
        super().__init__()
        self.baseline: Baseline | None = None
        self._bridge, self._selection = bridge, selection
        self._probe: Probe | None = None  # of the other run
        self._error = ""
        self._requested: tuple[Path, int] | None = None
        self._is_reading = False
        self._history = bridge.shown
        bridge.prepared.connect(self._handle_prepared)
        bridge.shown_changed.connect(self._handle_shown)

    def compare_with(self, baseline: Baseline | None) -> None:
        """Compare with this from now on; None shows the attention itself."""
        if baseline != self.baseline:
            if baseline is None or self.baseline is None or baseline.run != self.baseline.run:
                self._probe, self._requested, self._error = None, None, ""
            self.baseline = baseline
            self.changed.emit()

    def shown(self, history: History, step: int) -> Shown:
        """The chosen sentence at `step`, with the one to subtract; or why they cannot be compared."""
        mine = shown_sentence(self._selection, history, step)
        if self.baseline is None or isinstance(mine, NothingShown):
            return mine
        other = self._other(self.baseline, history, mine)
        if isinstance(other, NothingShown):
            return other
        reason = why_not_comparable(mine.sentence, other.sentence, self._selection)
        return NothingShown(reason) if reason else replace(mine, other=other)

    def _other(self, baseline: Baseline, history: History, mine: ShownSentence) -> Shown:
        step = mine.step if baseline.step is None else baseline.step
        if baseline.run is None:
            return shown_sentence(self._selection, history, step)
        self._read(baseline.run, step)
        if self._probe is None:
            return NothingShown(self._error or f"{baseline.name} is being read …")
        for sentence in self._probe.sentences:
            if sentence.source == mine.sentence.source:
                return ShownSentence(sentence, self._probe.step, baseline.name)
        return NothingShown(
            f"{baseline.name} does not follow {quoted(mine.sentence.source)}: choose another sentence or run."
        )

    def _read(self, run: Path, step: int) -> None:
        """Read one probe at a time; until it arrives, the one read before is shown, labelled with its own step."""
        if (run, step) != self._requested and not self._is_reading:
            self._requested, self._is_reading = (run, step), True
            on_read, on_error = partial(self._end_reading, run), partial(self._fail, run)
            self._bridge.run_in_background(partial(read_probe, run, step), on_read, on_error)

    def _fail(self, run: Path, error: Exception) -> None:
        if not isinstance(error, UserError | OSError):
            self._bridge.report(error)
        self._end_reading(run, None, str(error))

    def _end_reading(self, run: Path, probe: Probe | None, error: str = "") -> None:
        self._is_reading = False
        if self.baseline is not None and self.baseline.run == run:
            self._probe, self._error = probe, error
        self.changed.emit()

    def _handle_prepared(self, _: Prepared) -> None:
        self.compare_with(None)

    def _handle_shown(self) -> None:
        """Drop the comparison if another run is followed, or none any more: it may have no such step."""
        if self._bridge.shown is not self._history:
            self._history = self._bridge.shown
            self.compare_with(None)


def read_probe(run: Path, step: int) -> Probe:
    """The newest probe at or before a step. Raises UserError if there is none or it is damaged."""
    folder = RunFolder.open(run)
    steps = [known for known in folder.probe_steps() if known <= step]
    if not steps:
        raise UserError(f"{run.name} has no probe at or before step {step:,}.", "Look at a later step.")
    return folder.probe(max(steps))


def why_not_comparable(mine: ProbedSentence, other: ProbedSentence, selection: Selection) -> str:
    """Why two sentences' attention cannot be subtracted head by head and token by token; empty if it can."""
    if _heads(mine) != _heads(other):
        return f"The other run has {_heads(other)}, this one {_heads(mine)}: choose a run with the same number."
    if mine.src_tokens != other.src_tokens:
        return "The other run splits this sentence into different tokens: choose a run with the same tokenizer."
    if _decoder_input(mine, selection) != _decoder_input(other, selection):
        return f"The decoder reads different tokens there{_how_to_read_the_same(mine, other, selection)}."
    return ""


def _how_to_read_the_same(mine: ProbedSentence, other: ProbedSentence, selection: Selection) -> str:
    if mine.by_reference is None or other.by_reference is None:
        return ", for lack of a reference in both: choose another sentence"
    kind = "" if selection.chosen.kind != "encoder_self" else "another kind, then "  # the encoder has no such choice
    return f": choose {kind}“teacher-forced” to compare token by token"


def _decoder_input(sentence: ProbedSentence, selection: Selection) -> tuple[bool, tuple[str, ...]]:
    """Whether the decoder reads what it has written itself, and the tokens that it reads."""
    return selection.runs_free(sentence), selection.feed_of(sentence).tgt_input


def _heads(sentence: ProbedSentence) -> str:
    encoder, decoder = sentence.encoder_self.shape[:2], sentence.free_running.cross.shape[:2]
    return f"{encoder[0]} + {decoder[0]} layers of {decoder[1]} head{'s' * (decoder[1] != 1)}"
