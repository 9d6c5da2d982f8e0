"""The loss of a unigram model, which knows only how frequent each token is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.data.special_tokens import BOS_ID
from core.data.token_arrays import TokenArrays


def unigram_loss(targets: TokenArrays) -> float:
    """`frequency_loss` of these targets' tokens, `<eos>` counted."""
    counts = np.bincount(targets.selected_ids)
    counts[BOS_ID] = 0  # read, never predicted
    return frequency_loss(counts)


def frequency_loss(counts: NDArray[np.int64]) -> float:
    """Entropy of the distribution of tokens with these counts, in nats per token.

    No prediction that is the same at every position has a lower cross entropy (Cover and Thomas 2006, section 2.6).
    """
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())
