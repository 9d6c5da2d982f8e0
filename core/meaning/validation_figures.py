"""Everything that is drawn about the sentences of a single validation."""

from __future__ import annotations

from dataclasses import dataclass

from core.events import ValidatedSentence
from core.meaning.accuracy import AccuracyBy, by_length, by_position
from core.meaning.confusion import Confusion, confusion_of
from core.meaning.written_symbols import Symbols

MOST_SYMBOLS = 16  # in the confusion matrix: cells still legible in a third of the window


@dataclass(frozen=True, eq=False)
class ValidationFigures:
    """The figures of the validation at `step`."""

    step: int
    sentences: tuple[ValidatedSentence, ...]
    symbols: Symbols  # that all these figures count
    confusion: Confusion
    by_position: AccuracyBy
    by_length: AccuracyBy


def figures_of(step: int, sentences: tuple[ValidatedSentence, ...]) -> ValidationFigures:
    """Compute the figures: with 1,000 sentences some tenths of a second, so not in the thread that draws."""
    symbols = Symbols.of(sentences)
    written = [symbols.written(one) for one in sentences]
    return ValidationFigures(
        step=step,
        sentences=sentences,
        symbols=symbols,
        confusion=confusion_of(written, MOST_SYMBOLS),
        by_position=by_position([symbols.right_when_fed(one) for one in sentences], written),
        by_length=by_length(sentences, written),
    )
