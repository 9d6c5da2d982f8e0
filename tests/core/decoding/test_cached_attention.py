"""A decoding step's attention over cached keys and values, in both implementations."""

from __future__ import annotations

import pytest
import torch

from core.decoding import cached_attention
from core.decoding.cached_attention import attend
from core.model.attention import KeysValues, attention_weights
from tests.record_calls import record_calls


@pytest.mark.parametrize("is_written_out", [False, True])
@pytest.mark.parametrize("length", [5, 30])
@pytest.mark.parametrize("masked", ["nothing", "padding", "the past of others"])
def test_cached_attention_equals_the_models_attention(
    is_written_out: bool, length: int, masked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys and values are the first slots of a larger buffer, and queries a view, as in decoding."""
    monkeypatch.setattr(cached_attention, "_MIN_QUERIES_FOR_BMM", 0 if is_written_out else 1000)
    written_out = record_calls(monkeypatch, cached_attention, "_written_out")
    torch.manual_seed(0)
    queries = torch.randn(2, 3, 4, 8).double().transpose(1, 2)
    keys, values = torch.randn(2, 2, 4, 40, 8).double().narrow(3, 0, length).unbind()
    allowed = {
        "nothing": None,
        "padding": torch.arange(length).lt(torch.tensor([length, 3])[:, None])[:, None, None],
        "the past of others": torch.rand(2, 1, 3, length).lt(0.5).index_fill(3, torch.tensor([0]), True),
    }[masked]
    mask = None if allowed is None else torch.where(allowed, 0.0, -torch.inf).double()
    expected = torch.matmul(attention_weights(queries, keys, allowed), values).transpose(1, 2).reshape(6, 32)
    torch.testing.assert_close(attend(queries, KeysValues(keys, values), mask), expected)
    assert bool(written_out) == is_written_out
