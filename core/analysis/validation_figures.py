"""Everything that is drawn about the sentences of a single validation."""

from __future__ import annotations

from dataclasses import dataclass

from core.analysis.accuracy import AccuracyCurve, by_length, by_position
from core.analysis.confusion import Confusion, count_confusions
from core.analysis.symbols import Symbols
from core.events import ValidatedSentence

MAX_SYMBOLS = 16  # in the confusion matrix: cells still legible in a third of the window


@dataclass(frozen=True, eq=False)
class ValidationFigures:
    """The figures of the validation at `step`."""

    step: int
    sentences: tuple[ValidatedSentence, ...]
    symbols: Symbols  # that all these figures count
    confusion: Confusion
    by_position: AccuracyCurve
    by_length: AccuracyCurve


def compute_figures(step: int, sentences: tuple[ValidatedSentence, ...]) -> ValidationFigures:
    """Compute the figures: with 1,000 sentences some tenths of a second, so not in the thread that draws."""
    symbols = Symbols.of(sentences)
    symbol_pairs = [symbols.aligned(one) for one in sentences]
    return ValidationFigures(
        step=step,
        sentences=sentences,
        symbols=symbols,
        confusion=count_confusions(symbol_pairs, MAX_SYMBOLS),
        by_position=by_position([symbols.right_teacher_forced(one) for one in sentences], symbol_pairs),
        by_length=by_length(sentences, symbol_pairs),
    )
