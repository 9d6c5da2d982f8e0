"""What a model reaches that knows nothing but how often each token comes."""

from __future__ import annotations

import numpy as np

from core.data.special_tokens import BOS_ID
from core.data.token_arrays import TokenArrays


def unigram_loss(targets: TokenArrays) -> float:
    """Entropy of the target tokens' distribution, in nats per token, `<eos>` counted.

    No prediction that is the same at every place has a lower cross entropy (Cover and Thomas 2006, section 2.6).
    """
    counts = np.bincount(targets.ids).astype(np.float64)
    counts[BOS_ID] = 0.0  # read, never predicted
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())
