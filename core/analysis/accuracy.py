"""The accuracy of a validation at each position of the target, and for each length of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from core.analysis.symbols import SymbolPair
from core.events import ValidatedSentence

KeyedResults = tuple[NDArray[np.int64], NDArray[np.bool_]]  # [M] keys, and whether each item is right


@dataclass(frozen=True, eq=False)
class AccuracyCurve:
    """Shares of right symbols at N positions (from 1) or for N lengths, ascending, and how many each is a share of."""

    keys: NDArray[np.int64]  # [N]
    teacher_forced: NDArray[np.float64]  # [N]
    free_running: NDArray[np.float64]  # [N]
    count: NDArray[np.int64]  # [N] sentences


def by_position(
    teacher_forced: Sequence[Sequence[bool]], symbol_pairs: Sequence[Sequence[SymbolPair]]
) -> AccuracyCurve:
    """Among the sentences that are long enough, the share whose symbol at a position is right; `<eos>` is not counted.

    `teacher_forced` says whether each symbol of the references is right teacher-forced.
    """
    return _accuracy(
        _with_positions(teacher_forced), _with_positions([_right_symbols(pairs) for pairs in symbol_pairs])
    )


def by_length(sentences: Sequence[ValidatedSentence], symbol_pairs: Sequence[Sequence[SymbolPair]]) -> AccuracyCurve:
    """Among the sentences of a length (symbols of the reference), the share that is right as a whole, `<eos>` too."""
    lengths = np.array([sum(expected is not None for expected, _ in pairs) for pairs in symbol_pairs], dtype=np.int64)
    teacher_forced = np.array([max(one.rank) == 0 for one in sentences], dtype=bool)
    free_running = np.array(
        [all(expected == actual for expected, actual in pairs) for pairs in symbol_pairs], dtype=bool
    )
    return _accuracy((lengths, teacher_forced), (lengths, free_running))


def _with_positions(sentences: Sequence[Sequence[bool]]) -> KeyedResults:
    """The position of every symbol in its sentence, from 1, and whether it is right."""
    lengths = np.array([len(right) for right in sentences], dtype=np.int64)
    before = np.repeat(np.cumsum(lengths) - lengths, lengths)
    right = np.fromiter(chain.from_iterable(sentences), dtype=bool, count=int(lengths.sum()))
    return np.arange(1, len(right) + 1) - before, right


def _right_symbols(pairs: Sequence[SymbolPair]) -> list[bool]:
    """Whether each symbol of the reference was written."""
    return [expected == actual for expected, actual in pairs if expected is not None]


def _accuracy(teacher_forced: KeyedResults, free_running: KeyedResults) -> AccuracyCurve:
    size = 1 + int(np.concatenate([teacher_forced[0], free_running[0]]).max(initial=0))
    counts = np.array([np.bincount(keys, minlength=size) for keys, _ in (teacher_forced, free_running)])
    right = np.array([np.bincount(keys[is_right], minlength=size) for keys, is_right in (teacher_forced, free_running)])
    present = np.flatnonzero(counts.any(axis=0))
    shares = (right / np.where(counts, counts, np.nan))[:, present]  # NaN: no sentence there
    return AccuracyCurve(present, shares[0], shares[1], counts[0, present])
