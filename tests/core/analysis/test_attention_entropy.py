"""The entropy of attention heads, compared with the formula written out."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from core.analysis.attention_entropy import head_entropy
from tests.gui.builders import attention


def test_the_entropy_is_the_mean_over_rows_of_minus_p_ln_p() -> None:
    heads = attention(1, 3, 4, 5)[0]
    entropy = head_entropy(heads, is_causal=False)
    for head in range(3):
        rows = [-sum(float(p) * log(float(p)) for p in row) for row in heads[head]]
        assert entropy.nats[head] == pytest.approx(sum(rows) / 4)
        assert entropy.share[head] == pytest.approx(sum(rows) / 4 / log(5))


def test_attending_to_one_token_gives_zero_and_uniform_attention_the_maximum() -> None:
    heads = np.stack([np.eye(4), np.full((4, 4), 0.25)]).astype(np.float16)
    entropy = head_entropy(heads, is_causal=False)
    np.testing.assert_allclose(entropy.nats, [0, log(4)])
    np.testing.assert_allclose(entropy.share, [0, 1])


def test_the_maximum_of_a_causal_row_is_over_the_positions_it_may_see() -> None:
    spread = np.tril(np.ones((3, 3))) / np.arange(1, 4)[:, None]
    entropy = head_entropy(spread[None].astype(np.float16), is_causal=True)
    np.testing.assert_allclose(entropy.nats, [(log(2) + log(3)) / 3], rtol=1e-3)
    np.testing.assert_allclose(entropy.share, [1], rtol=1e-3)
    assert head_entropy(np.ones((2, 1, 1), np.float16), is_causal=True).share.tolist() == [0, 0]
