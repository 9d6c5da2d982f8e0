"""Tokenised pairs as flat arrays of ids, in memory or mapped from disk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.data.special_tokens import BOS_ID, EOS_ID

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TokenArrays:
    """N sequences one after the other: sequence i is ids[offsets[i] : offsets[i + 1]]."""

    ids: Ids
    offsets: Offsets  # [N + 1]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Offsets:
        """Tokens of each sequence, [N]."""
        return np.diff(self.offsets)

    def padded(self, indices: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Ids [B, T] of these sequences, `<pad>` (0) after their ends, and a mask that is True at their tokens."""
        starts = self.offsets[indices]
        lengths = self.offsets[indices + 1] - starts
        columns = np.arange(lengths.max())
        mask = columns < lengths[:, None]
        places = np.where(mask, starts[:, None] + columns, 0)
        return np.where(mask, self.ids[places], 0).astype(np.int64), mask

    def selected(self, keep: NDArray[np.bool_]) -> TokenArrays:
        """The sequences where `keep` [N] is True."""
        lengths = self.lengths
        offsets = np.concatenate([[0], np.cumsum(lengths[keep])]).astype(np.int64)
        return TokenArrays(self.ids[np.repeat(keep, lengths)], offsets)

    def save(self, stem: Path) -> None:
        """Write STEM.ids.npy and STEM.offsets.npy."""
        np.save(f"{stem}.ids.npy", self.ids)
        np.save(f"{stem}.offsets.npy", self.offsets)

    @classmethod
    def map(cls, stem: Path) -> TokenArrays:
        """Map what `save` wrote: pages come from disk when they are read."""
        ids, offsets = (np.load(f"{stem}.{part}.npy", mmap_mode="r") for part in ("ids", "offsets"))
        return cls(ids.view(np.ndarray), offsets.view(np.ndarray))


@dataclass(frozen=True, eq=False)
class PairArrays:
    """Pairs ready for batches: src ends with `<eos>`, tgt begins with `<bos>` and ends with `<eos>`."""

    src: TokenArrays
    tgt: TokenArrays

    def __len__(self) -> int:
        return len(self.src)


def source_arrays(flat: Ids, lengths: Sequence[int]) -> TokenArrays:
    """Sequences given as one flat array, `<eos>` added to each."""
    return _framed(flat, np.asarray(lengths, dtype=np.int64), before=0)


def target_arrays(flat: Ids, lengths: Sequence[int]) -> TokenArrays:
    """Sequences given as one flat array, `<bos>` and `<eos>` added to each."""
    return _framed(flat, np.asarray(lengths, dtype=np.int64), before=1)


def _framed(flat: Ids, lengths: Offsets, *, before: int) -> TokenArrays:
    offsets = np.concatenate([[0], np.cumsum(lengths + before + 1)])
    framed = np.full(offsets[-1], EOS_ID, dtype=np.int32)
    if before:
        framed[offsets[:-1]] = BOS_ID
    shift = np.repeat(np.arange(len(lengths)) * (before + 1) + before, lengths)
    framed[np.arange(len(flat)) + shift] = flat
    return TokenArrays(framed, offsets)


def flat_ids(sequences: Iterable[Iterable[int]]) -> Ids:
    """Sequences of ids as one array."""
    return np.fromiter(chain.from_iterable(sequences), dtype=np.int32)


def concatenated(parts: Sequence[TokenArrays]) -> TokenArrays:
    """All sequences of the parts, in order."""
    lengths = np.concatenate([part.lengths for part in parts])
    return TokenArrays(
        np.concatenate([part.ids for part in parts]), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    )
