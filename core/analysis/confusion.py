"""Which target symbols are confused with which, free-running."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from core.analysis.symbols import SymbolPair

LEFT_OUT = "(left out)"
ADDED = "(added)"


@dataclass(frozen=True, eq=False)
class Confusion:
    """Counts over one validation's sentences, for the symbols that are wrong most often; the most frequent first."""

    symbols: tuple[str, ...]  # those of the reference, rows
    written: tuple[str, ...]  # columns: the same, what else was written for them, and LEFT_OUT
    counts: NDArray[np.int64]  # [rows, columns]
    times: NDArray[np.int64]  # [rows] how often each symbol was to be written, or was added
    sentences: Sequence[Sequence[SymbolPair]]  # of the whole validation
    errors: int  # in these sentences: symbols wrong, left out or added

    @property
    def shares(self) -> NDArray[np.float64]:
        """[rows, columns] shares of the times each symbol was to be written; rows lack what is written in no column."""
        shares: NDArray[np.float64] = self.counts / self.times[:, None]
        return shares

    def sentence_indices(self, expected: str, written: str) -> tuple[int, ...]:
        """The indices, in the validation, of the sentences with this pair of row and column."""
        return tuple(index for index, pairs in enumerate(self.sentences) if (expected, written) in map(_labels, pairs))

    @property
    def errors_shown(self) -> int:
        """How many of the errors have a row and a column."""
        return sum(
            int(self.counts[row, column])
            for row, expected in enumerate(self.symbols)
            for column, actual in enumerate(self.written)
            if expected != actual
        )

    @property
    def is_confused(self) -> bool:
        """Whether there is any error."""
        return self.errors > 0


def count_confusions(sentences: Sequence[Sequence[SymbolPair]], max_symbols: int) -> Confusion:
    """Confusion of at most `max_symbols` symbols: those wrong most often, and ADDED if symbols were added."""
    counts: Counter[tuple[str, str]] = Counter()
    for pair, count in Counter(chain.from_iterable(sentences)).items():
        counts[_labels(pair)] += count
    wrong: Counter[str] = Counter()
    times: Counter[str] = Counter()
    for (expected, actual), count in counts.items():
        times[expected] += count
        wrong[expected] += count * (expected != actual)
    worst = sorted(times, key=lambda symbol: (-wrong[symbol], -times[symbol], symbol))[:max_symbols]
    rows = tuple(sorted(worst, key=lambda symbol: (symbol == ADDED, -times[symbol], symbol)))
    columns = _columns(rows, counts, max_symbols)
    table = np.array([[counts[row, column] for column in columns] for row in rows], dtype=np.int64)
    totals = np.array([times[row] for row in rows], dtype=np.int64)
    return Confusion(rows, columns, table.reshape(len(rows), len(columns)), totals, sentences, wrong.total())


def _labels(pair: SymbolPair) -> tuple[str, str]:
    expected, actual = pair
    return ADDED if expected is None else expected, LEFT_OUT if actual is None else actual


def _columns(rows: tuple[str, ...], counts: Counter[tuple[str, str]], max_symbols: int) -> tuple[str, ...]:
    """The rows' own symbols, then what else is written most in their place, then LEFT_OUT."""
    own = [row for row in rows if row != ADDED]
    others: Counter[str] = Counter()
    for (expected, actual), count in counts.items():
        if expected in rows and actual not in rows and actual != LEFT_OUT:
            others[actual] += count
    return (*own, *(symbol for symbol, _ in others.most_common(max(0, max_symbols - len(own)))), LEFT_OUT)
