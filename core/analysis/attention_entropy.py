"""How widely attention heads spread: the entropy of their weights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.probes import Attention


class HeadEntropy(NamedTuple):
    """For each head, the mean over its rows: 0 if every row reads from a single token."""

    nats: NDArray[np.float64]  # [..., H]
    share: NDArray[np.float64]  # [..., H] of the highest possible: 1 if every row reads from all tokens evenly


def head_entropy(heads: Attention, *, is_causal: bool) -> HeadEntropy:
    """The entropy -sum(p ln p) of each row of [..., H, queries, keys], in nats, and its share of ln(readable keys).

    With `is_causal`, row t may read only keys 0 to t. If no row has a choice, the share is 0.
    """
    weights = heads.astype(np.float64)
    logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)  # p ln p is 0 where p is 0
    nats = -(weights * logs).sum(axis=-1).mean(axis=-1)
    num_queries, num_keys = weights.shape[-2:]
    readable = np.arange(1, num_queries + 1) if is_causal else np.full(num_queries, num_keys)
    highest = np.log(readable).mean()
    return HeadEntropy(nats, nats / highest if highest else np.zeros_like(nats))
