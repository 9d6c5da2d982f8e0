"""How evenly attention heads read, over the sentences of a probe."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.probes import Attention

_MIN_KEYS = 3  # from one or two tokens every head reads nearly evenly


def entropy(maps: Sequence[Attention], *, causal: bool) -> NDArray[np.float64] | None:
    """[L, H] mean entropy of all rows, as a share of the highest, ln(number of keys): 1 reads evenly.

    `maps` are [L, H, queries, keys], one for each sentence. None if no row has three keys.
    """
    shares = [-(np.log(np.maximum(rows, 1e-9)) * rows).sum(-1) / np.log(keys) for rows, keys in _rows(maps, causal)]
    return np.concatenate(shares, axis=-1).mean(axis=-1) if shares else None


def peak(maps: Sequence[Attention], *, causal: bool) -> NDArray[np.float64] | None:
    """[L, H] the largest weight, in multiples of an even share (1 / number of keys): 1 reads evenly everywhere."""
    peaks = [rows.max(-1) * keys for rows, keys in _rows(maps, causal)]
    return np.concatenate(peaks, axis=-1).max(axis=-1) if peaks else None


def _rows(maps: Sequence[Attention], causal: bool) -> list[tuple[NDArray[np.float64], NDArray[np.int64]]]:
    """For each map the rows that may read enough keys, [L, H, rows, keys], and how many each may read, [rows]."""
    found = []
    for weights in maps:
        queries, keys = weights.shape[2:]
        readable = np.arange(1, queries + 1) if causal else np.full(queries, keys)
        is_enough = readable >= _MIN_KEYS
        if is_enough.any():
            found.append((weights[:, :, is_enough].astype(np.float64), readable[is_enough]))
    return found
