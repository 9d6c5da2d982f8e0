"""Which pairs go into one batch, planned with numpy, and how much of it is padding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.config import TrainingConfig
from core.data.token_arrays import PairArrays

Indices = NDArray[np.int64]


def plan_batches(pairs: PairArrays, order: Indices, training: TrainingConfig) -> list[Indices]:
    """Cut an order into batches of batch_size pairs, or of batch_tokens target tokens grouped by length."""
    if training.batch_size is not None:
        return [order[start : start + training.batch_size] for start in range(0, len(order), training.batch_size)]
    assert training.batch_tokens is not None
    return batches_of_tokens(pairs, order, pairs.tgt_lengths, training.batch_tokens)


def batches_of_tokens(pairs: PairArrays, order: Indices, counted: Indices, max_tokens: int) -> list[Indices]:
    """Sort by length (equal ones stay in their order), and fill each batch up to max_tokens, padding counted.

    `counted` has the tokens of each pair that count. Sorted by the longer side first: Multi30k in batches of 8,192
    tokens (10,000 joint subwords) is 6 % padding then, and 13 % sorted by target and source.
    """
    tgt, src = pairs.tgt_lengths[order], pairs.src.lengths[order]
    by_length = _stable_order(tgt)
    by_length = by_length[_stable_order(np.maximum(src, tgt)[by_length])]
    ordered = order[by_length]
    lengths = counted[ordered]
    batches, start = [], 0
    while start < len(ordered):
        longest = np.maximum.accumulate(lengths[start : start + max_tokens // lengths[start] + 1])
        sizes = longest * np.arange(1, len(longest) + 1)
        size = max(1, int(np.searchsorted(sizes, max_tokens, side="right")))
        batches.append(ordered[start : start + size])
        start += size
    return batches


def _stable_order(lengths: Indices) -> Indices:
    """Shorter ones first, equal ones as they are. What fits into 16 bits numpy sorts in proportion to its number."""
    return np.argsort(lengths.astype(np.min_scalar_type(lengths.max(initial=0))), kind="stable")


def padding_share(sides: Sequence[NDArray[np.int64]], batches: Iterable[Indices]) -> float:
    """The share of the places of these batches that hold no token; 0 to 1, and 0 of no batches.

    `sides` are the lengths of the sources and of the targets, [N] each, `<eos>` counted.
    """
    filled = places = 0
    for batch in batches:
        for lengths in (side[batch] for side in sides):
            filled, places = filled + int(lengths.sum()), places + int(lengths.max()) * len(lengths)
    return 1.0 - filled / places if places else 0.0
