"""The loss of token frequencies alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.data.special_tokens import BOS_ID, EOS_ID
from core.data.token_arrays import target_arrays
from core.data.unigram import unigram_loss


def test_it_is_the_entropy_of_what_is_to_be_predicted() -> None:
    a, b = EOS_ID + 2, EOS_ID + 3
    targets = target_arrays(np.array([a, a, a, b], dtype=np.int32), np.array([3, 1]))  # and an <eos> each
    assert BOS_ID in targets.ids
    shares = (3 / 6, 1 / 6, 2 / 6)
    assert unigram_loss(targets) == pytest.approx(-sum(share * math.log(share) for share in shares))
