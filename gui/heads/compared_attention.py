"""Compares the shown attention with that of another step or another run for the same sentence."""

from __future__ import annotations

from collections.abc import Sequence
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
class Against:
    """What to subtract: the attention at `step` of a run."""

    step: int | None = None  # None: the shown step, or the newest before it that the other run has
    run: Path | None = None  # None: the shown run
    name: str = ""  # the other run's name


class ComparedAttention(QObject):
    """Gives the shown sentence together with the one to compare it with. Another run is read beside the GUI thread."""

    changed = Signal()  # another comparison was chosen, or more of the other run was read

    def __init__(self, bridge: EngineBridge, selection: Selection) -> None:
        super().__init__()
        self.against: Against | None = None
        self._bridge, self._selection = bridge, selection
        self._probe: Probe | None = None  # of the other run
        self._trouble = ""
        self._asked: tuple[Path, int] | None = None
        self._is_reading = False
        bridge.prepared.connect(self._begin_anew)

    def compare(self, against: Against | None) -> None:
        """Compare with this from now on; None shows the attention itself."""
        if against != self.against:
            if against is None or self.against is None or against.run != self.against.run:
                self._probe, self._asked, self._trouble = None, None, ""
            self.against = against
            self.changed.emit()

    def shown(self, history: History, step: int) -> Shown:
        """The chosen sentence at `step`, with the one to subtract; or why they cannot be compared."""
        mine = shown_sentence(self._selection, history, step)
        if self.against is None or isinstance(mine, NothingShown):
            return mine
        other = self._other(self.against, history, mine)
        if isinstance(other, NothingShown):
            return other
        reason = why_not_comparable(mine.sentence, other.sentence, self._selection)
        return NothingShown(reason) if reason else replace(mine, other=other)

    def _other(self, against: Against, history: History, mine: ShownSentence) -> Shown:
        step = mine.step if against.step is None else against.step
        if against.run is None:
            return shown_sentence(self._selection, history, step)
        self._read(against.run, step)
        if self._probe is None:
            return NothingShown(self._trouble or f"{against.name} is being read …")
        for sentence in self._probe.sentences:
            if sentence.source == mine.sentence.source:
                return ShownSentence(sentence, self._probe.step, against.name)
        return NothingShown(
            f"{against.name} does not follow {quoted(mine.sentence.source)}: choose another sentence or run."
        )

    def _read(self, run: Path, step: int) -> None:
        """Read one probe at a time; until it arrives, the one read before is shown, labelled with its own step."""
        if (run, step) != self._asked and not self._is_reading:
            self._asked, self._is_reading = (run, step), True
            take, fail = partial(self._end_reading, run), partial(self._fail, run)
            self._bridge.run_in_background(partial(read_probe, run, step), take, fail)

    def _fail(self, run: Path, error: Exception) -> None:
        if not isinstance(error, UserError | OSError):
            self._bridge.report(error)
        self._end_reading(run, None, str(error))

    def _end_reading(self, run: Path, probe: Probe | None, trouble: str = "") -> None:
        self._is_reading = False
        if self.against is not None and self.against.run == run:
            self._probe, self._trouble = probe, trouble
        self.changed.emit()

    def _begin_anew(self, _: Prepared) -> None:
        self.compare(None)


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
    if _free_runs(mine, selection) != _free_runs(other, selection) or _read(mine, selection) != _read(other, selection):
        return "The decoder reads different tokens there: choose “teacher-forced” to compare token by token."
    return ""


def _free_runs(sentence: ProbedSentence, selection: Selection) -> bool:
    return selection.feed_of(sentence) is sentence.free_running


def _read(sentence: ProbedSentence, selection: Selection) -> Sequence[str]:
    return selection.feed_of(sentence).tgt_input


def _heads(sentence: ProbedSentence) -> str:
    encoder, decoder = sentence.encoder_self.shape[:2], sentence.free_running.cross.shape[:2]
    return f"{encoder[0]} + {decoder[0]} layers of {decoder[1]} heads"
