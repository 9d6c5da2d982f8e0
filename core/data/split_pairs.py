"""One split of a prepared dataset: its ids and its texts, mapped from disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.data.pair_texts import PairTexts
from core.data.token_arrays import PairArrays, TokenArrays
from core.plugin import Pair


@dataclass(frozen=True, eq=False)
class SplitPairs:
    """Some pairs of a split: pair i has the ids arrays.src[i] and arrays.tgt[i], and is pair numbers[i] of `texts`."""

    arrays: PairArrays
    texts: PairTexts
    numbers: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.numbers)

    def pair(self, index: int) -> Pair:
        """Source, target and gold alignment as the plugin gave them."""
        return self.texts[self.numbers[index]]

    def no_longer_than(self, max_src_length: float, max_tgt_length: float) -> SplitPairs:
        """The pairs within these lengths, `<eos>` counted."""
        fits = self.arrays.fitting(max_src_length, max_tgt_length)
        if fits.all():  # starts and lengths stay on disk
            return self
        return SplitPairs(self.arrays.selected(fits), self.texts, self.numbers[fits])

    @classmethod
    def map(cls, folder: Path, name: str) -> SplitPairs:
        """Map the files that `token_writer` and `pair_writer` have written for a split."""
        arrays = PairArrays(TokenArrays.map(folder / f"{name}.src"), TokenArrays.map(folder / f"{name}.tgt"))
        return cls(arrays, PairTexts(folder / name), np.arange(len(arrays)))
