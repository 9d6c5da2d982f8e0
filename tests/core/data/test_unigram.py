"""The unigram loss, that of predicting token frequencies."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from core.data.special_tokens import BOS_ID, EOS_ID
from core.data.token_arrays import target_arrays
from core.data.unigram import unigram_loss
from tests.core.data.conftest import Prepare


def test_it_is_the_entropy_of_the_tokens_to_predict() -> None:
    a, b = EOS_ID + 2, EOS_ID + 3
    targets = target_arrays(np.array([a, a, a, b], dtype=np.int32), [3, 1])  # with an <eos> each
    assert BOS_ID in targets.ids
    shares = (3 / 6, 1 / 6, 2 / 6)
    assert unigram_loss(targets) == pytest.approx(-sum(share * math.log(share) for share in shares))


def test_pairs_that_are_left_out_do_not_count(prepare: Prepare) -> None:
    """The validation loss it is compared with has only the remaining pairs."""
    data, complete = prepare(max_src_length=4), prepare()
    assert data.left_out["valid"] > 0 and complete.left_out["valid"] == 0
    valid = data.split("valid").tgt
    tokens = Counter(int(one) for index in range(len(valid)) for one in valid[index] if one != BOS_ID)
    shares = [count / tokens.total() for count in tokens.values()]
    assert data.unigram_loss == pytest.approx(-sum(share * math.log(share) for share in shares))
    assert data.unigram_loss != complete.unigram_loss
