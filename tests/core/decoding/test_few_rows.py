"""Products of few rows, however many, and however many columns they have."""

from __future__ import annotations

import pytest
import torch

from core.decoding import few_rows
from core.decoding.few_rows import add_product


@pytest.mark.parametrize("num_rows", [1, 2, 5, 8, 9])
@pytest.mark.parametrize("num_columns", [256, 257])
def test_large_weights_give_the_ordinary_product(
    num_rows: int, num_columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(few_rows, "reads_slowly_for_few_rows", lambda: True)
    chance = torch.Generator().manual_seed(0)
    x = torch.randn(num_rows, 256, generator=chance)
    weight = torch.randn(num_columns, 256, generator=chance).t()
    to = torch.randn(num_rows, num_columns, generator=chance)
    expected = (x.double() @ weight.double()).float()
    bias = torch.randn(num_columns, generator=chance)
    torch.testing.assert_close(add_product(None, x, weight), expected, rtol=0, atol=1e-4)
    torch.testing.assert_close(add_product(bias, x, weight), bias + expected, rtol=0, atol=1e-4)
    grown = to.clone()
    assert add_product(grown, x, weight, out=grown) is grown
    torch.testing.assert_close(grown, to + expected, rtol=0, atol=1e-4)
    assert add_product(bias, x, weight).is_contiguous()  # its columns are parted into heads
