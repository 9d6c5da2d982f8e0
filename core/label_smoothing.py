"""Label smoothing as numbers: the smoothed targets, and the loss against them. Free of torch.

Training computes the same loss together with its gradient, without making the targets: `core.training.loss`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]


def smoothed_targets(right: ArrayLike, vocab_size: int, eps: float) -> Numbers:
    """(1 - eps) one-hot + eps / V on every token (Szegedy et al. 2016, section 7). Ids [N] -> [N, V]."""
    one_hot: Numbers = np.eye(vocab_size)[np.asarray(right)]
    return np.asarray((1.0 - eps) * one_hot + eps / vocab_size)


def smoothed_loss(probabilities: ArrayLike, targets: ArrayLike) -> Numbers:
    """Cross entropy in nats of each row, both [N, V]: lowest if the probabilities equal the targets. [N]."""
    return np.asarray(-(np.asarray(targets) * np.log(probabilities)).sum(axis=-1))


def growing_confidence(odds: ArrayLike, vocab_size: int) -> Numbers:
    """Probabilities that make token 0 `odds` times as likely as each of the others. [N] -> [N, V]."""
    weights = np.ones((np.size(odds), vocab_size))
    weights[:, 0] = odds
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
