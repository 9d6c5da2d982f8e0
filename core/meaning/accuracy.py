"""The accuracy of a validation at each position of the target, and for each length of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from core.events import ValidatedSentence
from core.meaning.written_symbols import Written

Judged = tuple[NDArray[np.int64], NDArray[np.bool_]]  # [M] keys, and whether each item is right


@dataclass(frozen=True, eq=False)
class AccuracyBy:
    """Shares of right symbols at N positions (from 1) or for N lengths, ascending, and how many each is a share of."""

    keys: NDArray[np.int64]  # [N]
    fed: NDArray[np.float64]  # [N] fed by the reference
    free: NDArray[np.float64]  # [N] free-running
    count: NDArray[np.int64]  # [N] sentences


def by_position(fed: Sequence[Sequence[bool]], written: Sequence[Sequence[Written]]) -> AccuracyBy:
    """Among the sentences that are long enough, the share whose symbol at a position is right; `<eos>` is not counted.

    `fed` says whether each symbol of the references is right when fed by the reference.
    """
    return _accuracy(_placed(fed), _placed([_right(pairs) for pairs in written]))


def by_length(sentences: Sequence[ValidatedSentence], written: Sequence[Sequence[Written]]) -> AccuracyBy:
    """Among the sentences of a length (symbols of the reference), the share that is right as a whole, `<eos>` too."""
    lengths = np.array([sum(wanted is not None for wanted, _ in pairs) for pairs in written], dtype=np.int64)
    fed = np.array([max(one.rank) == 0 for one in sentences], dtype=bool)
    free = np.array([all(wanted == got for wanted, got in pairs) for pairs in written], dtype=bool)
    return _accuracy((lengths, fed), (lengths, free))


def _placed(sentences: Sequence[Sequence[bool]]) -> Judged:
    """The position of every symbol in its sentence, from 1, and whether it is right."""
    lengths = np.array([len(right) for right in sentences], dtype=np.int64)
    before = np.repeat(np.cumsum(lengths) - lengths, lengths)
    right = np.fromiter(chain.from_iterable(sentences), dtype=bool, count=int(lengths.sum()))
    return np.arange(1, len(right) + 1) - before, right


def _right(pairs: Sequence[Written]) -> list[bool]:
    """Whether each symbol of the reference was written."""
    return [wanted == got for wanted, got in pairs if wanted is not None]


def _accuracy(fed: Judged, free: Judged) -> AccuracyBy:
    size = 1 + int(np.concatenate([fed[0], free[0]]).max(initial=0))
    counts = np.array([np.bincount(keys, minlength=size) for keys, _ in (fed, free)])
    right = np.array([np.bincount(keys[is_right], minlength=size) for keys, is_right in (fed, free)])
    there = np.flatnonzero(counts.any(axis=0))
    shares = (right / np.where(counts, counts, np.nan))[:, there]  # NaN: no sentence there
    return AccuracyBy(there, shares[0], shares[1], counts[0, there])
