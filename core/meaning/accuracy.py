"""How much of a validation is right at each place of the target, and for each length of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.events import ValidatedSentence
from core.meaning.written_symbols import Written


@dataclass(frozen=True, eq=False)
class AccuracyBy:
    """Shares of right symbols at N places (counted from 1) or lengths, ascending, and how many each is a share of."""

    keys: NDArray[np.int64]  # [N]
    fed: NDArray[np.float64]  # [N] fed by the reference
    free: NDArray[np.float64]  # [N] free-running
    count: NDArray[np.int64]  # [N] sentences


def by_position(fed: Sequence[Sequence[bool]], written: Sequence[Sequence[Written]]) -> AccuracyBy:
    """Of the sentences that are so long, the share whose symbol at a place is right; `<eos>` is not counted.

    `fed` says of each symbol of the references whether it is right when fed by the reference.
    """
    return _accuracy(_placed(fed), _placed(map(_right, written)))


def by_length(sentences: Sequence[ValidatedSentence], written: Sequence[Sequence[Written]]) -> AccuracyBy:
    """Of the sentences of a length, in symbols of the reference, the share that is right as a whole, its end too."""
    lengths = [len(_right(pairs)) for pairs in written]
    fed = (max(one.rank) == 0 for one in sentences)
    free = (all(wanted == got for wanted, got in pairs) for pairs in written)
    return _accuracy(zip(lengths, fed, strict=True), zip(lengths, free, strict=True))


def _placed(sentences: Iterable[Sequence[bool]]) -> Iterator[tuple[int, bool]]:
    """Every symbol with its place in its sentence, from 1."""
    for right in sentences:
        yield from enumerate(right, 1)


def _right(pairs: Sequence[Written]) -> list[bool]:
    """For each symbol of the reference whether it was written."""
    return [wanted == got for wanted, got in pairs if wanted is not None]


def _accuracy(fed: Iterable[tuple[int, bool]], free: Iterable[tuple[int, bool]]) -> AccuracyBy:
    totals = [_totals(fed), _totals(free)]
    keys = np.array(sorted(set(totals[0]) | set(totals[1])), dtype=np.int64)
    counts = np.array([[known.get(int(key), (0, 0)) for key in keys] for known in totals]).reshape(2, len(keys), 2)
    shares = counts[..., 1] / np.where(counts[..., 0], counts[..., 0], np.nan)  # NaN: nothing there
    return AccuracyBy(keys, shares[0], shares[1], counts[0, :, 0])


def _totals(judged: Iterable[tuple[int, bool]]) -> dict[int, tuple[int, int]]:
    """Key -> how many, and how many of them right."""
    totals: dict[int, tuple[int, int]] = {}
    for key, is_right in judged:
        count, right = totals.get(key, (0, 0))
        totals[key] = count + 1, right + is_right
    return totals
