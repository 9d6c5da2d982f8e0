"""How evenly attention heads read, over the sentences of a probe."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.analysis.attention_entropy import head_entropy
from core.probes import Attention

_MIN_KEYS = 3  # from one or two tokens every head reads nearly evenly


def entropy(maps: Sequence[Attention]) -> NDArray[np.float64] | None:
    """[L, H] mean entropy of all rows, as a share of the highest, ln(number of keys): 1 reads evenly.

    `maps` are [L, H, queries, keys], one for each sentence. None if no row has three keys.
    """
    maps = [weights for weights in maps if weights.shape[-1] >= _MIN_KEYS]
    if not maps:
        return None
    shares = [head_entropy(weights, is_causal=False).share for weights in maps]
    return np.average(shares, axis=0, weights=[weights.shape[-2] for weights in maps])  # each row counts the same


def peak(maps: Sequence[Attention], *, causal: bool) -> NDArray[np.float64] | None:
    """[L, H] the largest weight, in multiples of an even share (1 / number of keys): 1 reads evenly everywhere."""
    peaks = []
    for weights in maps:
        queries, keys = weights.shape[2:]
        readable = np.arange(1, queries + 1) if causal else np.full(queries, keys)
        is_enough = readable >= _MIN_KEYS
        peaks.append(weights[:, :, is_enough].astype(np.float64).max(-1) * readable[is_enough])
    peak_of_rows = np.concatenate(peaks, axis=-1)
    return peak_of_rows.max(axis=-1) if peak_of_rows.size else None
