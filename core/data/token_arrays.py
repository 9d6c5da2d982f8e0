"""Tokenised pairs as flat arrays of ids, in memory or mapped from disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.data.array_file import array_writer
from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID

Ids = NDArray[np.int32]
Int64Array = NDArray[np.int64]
IDS_SUFFIX = ".ids.npy"
_STARTS_SUFFIX = ".starts.npy"
_LENGTHS_SUFFIX = ".lengths.npy"


@dataclass(frozen=True, eq=False)
class TokenArrays:
    """N sequences: sequence i is ids[starts[i] : starts[i] + lengths[i]]. A selection of them copies no ids."""

    ids: Ids
    starts: Int64Array  # [N]
    lengths: Int64Array  # [N]

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> Ids:
        return self.ids[self.starts[index] : self.starts[index] + self.lengths[index]]

    def padded(self, indices: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Ids [B, T] of these sequences, padded with `<pad>`, and a mask [B, T] that is True at tokens."""
        lengths = self.lengths[indices]
        columns = np.arange(lengths.max())
        mask = columns < lengths[:, None]
        positions = np.where(mask, self.starts[indices][:, None] + columns, 0)
        return np.where(mask, self.ids[positions], np.int64(PAD_ID)), mask

    @property
    def selected_ids(self) -> Ids:
        """The ids of these sequences alone, concatenated; `ids` has those of all that they were selected from."""
        num_ids = self.lengths.sum()
        if num_ids == len(self.ids):
            return self.ids
        shift = self.starts - (np.cumsum(self.lengths) - self.lengths)
        chosen: Ids = self.ids[np.arange(num_ids) + np.repeat(shift, self.lengths)]
        return chosen

    def selected(self, keep: NDArray[np.bool_]) -> TokenArrays:
        """The sequences where `keep` [N] is True."""
        return TokenArrays(self.ids, self.starts[keep], self.lengths[keep])

    @classmethod
    def map(cls, stem: Path) -> TokenArrays:
        """Memory-map what `token_writer` wrote."""
        # Viewed as plain arrays: indexing a np.memmap takes several times as long.
        suffixes = (IDS_SUFFIX, _STARTS_SUFFIX, _LENGTHS_SUFFIX)
        return cls(*(np.load(f"{stem}{suffix}", mmap_mode="r").view(np.ndarray) for suffix in suffixes))


@dataclass(frozen=True, eq=False)
class PairArrays:
    """Pairs ready for batches: src ends with `<eos>`, tgt begins with `<bos>` and ends with `<eos>`."""

    src: TokenArrays
    tgt: TokenArrays

    def __len__(self) -> int:
        return len(self.src)

    @property
    def tgt_lengths(self) -> Int64Array:
        """The number of tokens the decoder is to write for each pair, `<eos>` counted, [N]."""
        return self.tgt.lengths - 1

    def fitting(self, max_src_length: float, max_tgt_length: float) -> NDArray[np.bool_]:
        """[N], True for pairs within these lengths, `<eos>` counted; infinity is no limit."""
        return (self.src.lengths <= max_src_length) & (self.tgt_lengths <= max_tgt_length)

    def selected(self, keep: NDArray[np.bool_]) -> PairArrays:
        """The pairs where `keep` [N] is True."""
        return PairArrays(self.src.selected(keep), self.tgt.selected(keep))


def source_arrays(flat: Ids, lengths: Sequence[int]) -> TokenArrays:
    """The sequences of one flat array, with `<eos>` added to each."""
    return _with_bos_eos(flat, np.asarray(lengths, dtype=np.int64), before=0)


def target_arrays(flat: Ids, lengths: Sequence[int]) -> TokenArrays:
    """The sequences of one flat array, with `<bos>` and `<eos>` added to each."""
    return _with_bos_eos(flat, np.asarray(lengths, dtype=np.int64), before=1)


def _with_bos_eos(flat: Ids, lengths: Int64Array, *, before: int) -> TokenArrays:
    framed_lengths = lengths + before + 1
    ends = np.cumsum(framed_lengths)
    starts = ends - framed_lengths
    ids = np.full(framed_lengths.sum(), EOS_ID, dtype=np.int32)
    is_of_text = np.ones(len(ids), dtype=np.bool_)
    is_of_text[ends - 1] = False
    if before:
        ids[starts] = BOS_ID
        is_of_text[starts] = False
    ids[is_of_text] = flat
    return TokenArrays(ids, starts, framed_lengths)


@contextmanager
def token_writer(stem: Path) -> Iterator[Callable[[TokenArrays], None]]:
    """Gives a function that appends sequences to the files that `TokenArrays.map` will map."""
    num_ids = 0
    with (
        array_writer(Path(f"{stem}{IDS_SUFFIX}"), np.int32) as add_ids,
        array_writer(Path(f"{stem}{_STARTS_SUFFIX}"), np.int64) as add_starts,
        array_writer(Path(f"{stem}{_LENGTHS_SUFFIX}"), np.int64) as add_lengths,
    ):

        def append(arrays: TokenArrays) -> None:
            nonlocal num_ids
            add_ids(arrays.ids)
            add_starts(arrays.starts + num_ids)
            add_lengths(arrays.lengths)
            num_ids += len(arrays.ids)

        yield append
