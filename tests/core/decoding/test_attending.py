"""The attention of a step in each of its ways."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from core.decoding.attending import attended
from core.model.attention import KeysValues


@pytest.mark.parametrize("num_sentences", [2, 20])
@pytest.mark.parametrize("length", [5, 30])
@pytest.mark.parametrize("is_padded", [False, True])
def test_few_queries_and_many_read_the_same(num_sentences: int, length: int, is_padded: bool) -> None:
    """20 sentences are written out on a CPU, two are fused."""
    torch.manual_seed(0)
    queries, keys, values = (torch.randn(num_sentences, 4, size, 8).double() for size in (3, length, length))
    mask = None
    if is_padded:
        mask = torch.zeros(num_sentences, 1, 1, length).double()
        mask[1:, ..., 3:] = -torch.inf
    expected = F.scaled_dot_product_attention(queries, keys, values, mask).transpose(1, 2).reshape(-1, 32)
    torch.testing.assert_close(attended(queries, KeysValues(keys, values), mask), expected)
