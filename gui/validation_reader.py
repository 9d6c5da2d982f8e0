"""Reads a run's validations beside the GUI thread, each once, and keeps what the panels need of them."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal

from core.analysis.learned_when import LearnedWhen, Right, right_tokens
from core.analysis.validation_figures import ValidationFigures, compute_figures
from core.errors import UserError
from core.events import ValidatedSentence
from core.history import History
from core.run_files.documents import damaged
from core.run_files.step_files import VALIDATIONS, step_path
from core.run_folder import RunFolder
from gui.bridge import EngineBridge

VALIDATIONS_PER_CALL = 8  # so that the map fills as a long run is read, and other calls get their turn
FIGURES_IN_MEMORY = 16  # of validations, for a playhead that goes back and forth

Metrics = dict[str, float]
Tokens = tuple[tuple[str, ...], ...]  # of the references of all sentences


class ValidationReader(QObject):
    """Reads on demand, when `figures` is called; emits `changed` when more has been read."""

    changed = Signal()

    def __init__(self, bridge: EngineBridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._folder: RunFolder | None = None
        self._reset()

    def _reset(self) -> None:
        self.learned = LearnedWhen()
        self._metrics: dict[int, Metrics] = {}  # of what was read; a new dict means that the validation was repeated
        self._figures: dict[int, ValidationFigures] = {}
        self._newest: ValidationFigures | None = None  # the one read last
        self._tokens: Tokens | None = None  # the same in all validations of a run
        self._reading: object = None  # identifies the reading under way

    @property
    def missing(self) -> list[int]:
        """Steps, ascending, of the validations whose sentences were looked for but are not kept or not readable."""
        return sorted(self._metrics.keys() - set(self.learned.steps))

    def figures(self, history: History, step: int) -> ValidationFigures | None:
        """The figures of the newest validation up to `step` whose sentences are kept; None if there is none.

        While that one is being read, the figures read before it. Starts a reading if something is unread.
        """
        if history.folder is not self._folder:
            self._folder = history.folder
            self._reset()
        self._drop_outdated(history)
        unread = sorted(history.validations.keys() - self._metrics.keys())
        known = sorted({*self.learned.steps, *unread})
        count = bisect_right(known, step)
        if not count:
            return None
        wanted = known[count - 1]
        lacks = wanted not in self._figures
        if self._reading is None and (unread or lacks):
            self._read(history, {*unread[:VALIDATIONS_PER_CALL], *([wanted] if lacks else [])}, wanted)
        return self._figures.get(wanted, self._newest)

    def why_no_figures(self, history: History, step: int) -> str:
        """A sentence that says why there are no figures; empty if there was no validation yet."""
        if not any(known <= step for known in history.validations):
            return ""
        if self._reading is not None:
            return "Reading the validations …"
        return "The sentences of the validations up to this step are not kept, or cannot be read: look at a later step."

    def _drop_outdated(self, history: History) -> None:
        outdated = [step for step, read in self._metrics.items() if history.validations.get(step) is not read]
        for step in outdated:
            del self._metrics[step]
            self._drop(step)

    def _drop(self, step: int) -> None:
        self.learned.remove(step)
        self._figures.pop(step, None)
        self._newest = None

    def _read(self, history: History, steps: set[int], wanted: int) -> None:
        assert self._folder is not None
        reading = self._reading = object()
        requested = {step: history.validations[step] for step in steps}
        read = partial(_read, self._folder, steps, wanted, self._tokens)
        take = partial(self._handle_result, reading, requested, wanted)
        self._bridge.run_in_background(read, take, lambda error: take(ReadResult({}, None, self._tokens, [error])))

    def _handle_result(self, reading: object, requested: dict[int, Metrics], wanted: int, read: ReadResult) -> None:
        if reading is not self._reading:  # it belongs to another run
            return
        self._reading = None
        self._metrics |= requested
        self._tokens = read.tokens
        for step, right in read.rights.items():
            self.learned.add(step, right)
        if read.figures is not None:
            self._store_figures(read.figures)
        elif wanted in requested and wanted not in read.rights:  # since thinned out, or damaged
            self._drop(wanted)
        for error in read.errors:
            self._bridge.report(error)
        self.changed.emit()

    def _store_figures(self, figures: ValidationFigures) -> None:
        self._newest = self._figures[figures.step] = figures
        for oldest in list(self._figures)[:-FIGURES_IN_MEMORY]:
            del self._figures[oldest]


@dataclass(frozen=True)
class ReadResult:
    """The result of one reading, and the errors of the validations that could not be read."""

    rights: dict[int, Right]
    figures: ValidationFigures | None
    tokens: Tokens | None
    errors: Sequence[Exception]


def _read(folder: RunFolder, steps: set[int], wanted: int, tokens: Tokens | None) -> ReadResult:
    """Read these validations, leaving out those thinned out, and work out the figures of the wanted one."""
    validations, errors = _readable(folder, steps.intersection(folder.validation_steps()))
    tokens = tokens or _most_common(map(_tokens_of, validations.values()))
    fitting = {step: sentences for step, sentences in validations.items() if _tokens_of(sentences) == tokens}
    for step in validations.keys() - fitting.keys():
        path = step_path(folder.path, VALIDATIONS, step)
        errors.append(damaged(path, "its sentences differ from those of the run's other validations"))
    rights = {step: right_tokens(sentences) for step, sentences in fitting.items()}
    figures = compute_figures(wanted, fitting[wanted]) if wanted in fitting else None
    return ReadResult(rights, figures, tokens, errors)


def _readable(
    folder: RunFolder, steps: Iterable[int]
) -> tuple[dict[int, tuple[ValidatedSentence, ...]], list[Exception]]:
    validations, errors = {}, list[Exception]()
    for step in steps:
        try:
            validations[step] = folder.validated_sentences(step)
        except UserError as error:
            errors.append(error)
    return validations, errors


def _tokens_of(sentences: Iterable[ValidatedSentence]) -> Tokens:
    return tuple(one.tokens for one in sentences)


def _most_common(of_validations: Iterable[Tokens]) -> Tokens | None:
    """The tokens that most validations have; of several equally common, those with the most tokens."""
    counts = Counter(of_validations)
    return max(counts, key=lambda tokens: (counts[tokens], sum(map(len, tokens))), default=None)
