"""Products of few rows and of many, however many columns they have, in every way that there is."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from core.decoding import products
from core.decoding.products import Affine, add_mapped, mapped
from core.machine import onednn


@pytest.fixture(autouse=True, params=["ordinary", "in batches", "by oneDNN"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How products are made, whatever the processor."""
    monkeypatch.setattr(products, "reads_slowly_for_few_rows", lambda: request.param == "in batches")
    monkeypatch.setattr(onednn, "is_faster", lambda *_: request.param == "by oneDNN")
    return str(request.param)


@pytest.mark.parametrize("num_rows", [1, 2, 4, 5, 64])
@pytest.mark.parametrize("num_columns", [256, 257])
def test_large_weights_give_the_ordinary_product(num_rows: int, num_columns: int) -> None:
    chance = torch.Generator().manual_seed(0)
    x = torch.randn(num_rows, 256, generator=chance)
    weight = torch.randn(num_columns, 256, generator=chance).t()
    bias, to = torch.randn(num_columns, generator=chance), torch.randn(num_rows, num_columns, generator=chance)
    expected = (x.double() @ weight.double()).float()
    for own_bias, plus in ((None, 0.0), (bias, bias)):
        linear = Affine(weight, own_bias)
        assert_close(mapped(x, linear), expected + plus)
        assert_close(mapped(x, linear, out=torch.empty(num_rows, num_columns)), expected + plus)
        assert mapped(x, linear).is_contiguous()  # its columns are parted into heads
        grown = to.clone()
        add_mapped(grown, x, linear)
        assert_close(grown, to + expected + plus)


def test_the_room_that_is_given_is_used_where_the_library_takes_one(way: str) -> None:
    x, linear, out = torch.randn(4, 256), Affine(torch.randn(256, 256).t(), None), torch.empty(4, 256)
    assert (mapped(x, linear, out) is out) == (way != "by oneDNN")


def assert_close(given: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(given, expected, rtol=0, atol=1e-4)
