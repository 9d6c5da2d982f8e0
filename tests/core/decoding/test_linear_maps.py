"""Linear maps of few and many rows and any number of columns, in every implementation."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from core.decoding import linear_maps
from core.decoding.linear_maps import BatchedLinearMap, LinearMap, PackedLinearMap, prepare_linear
from core.machine import onednn

KINDS = {"ordinary": LinearMap, "in batches": BatchedLinearMap, "packed": PackedLinearMap}


@pytest.fixture(autouse=True, params=list(KINDS))
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Force each implementation of products, on any processor."""
    if request.param == "packed" and not onednn.can_multiply(torch.empty(1, 1)):
        pytest.skip("torch was built without oneDNN")
    monkeypatch.setattr(linear_maps, "uses_mkl_on_amd", lambda: request.param == "in batches")
    monkeypatch.setattr(onednn, "is_worth_packing", lambda _: request.param == "packed")
    return str(request.param)


@pytest.mark.parametrize("num_rows", [1, 2, 4, 5, 64])
@pytest.mark.parametrize("num_columns", [256, 257])
@pytest.mark.parametrize("has_bias", [True, False])
def test_linear_maps_with_large_weights_equal_nn_linear(
    kind: str, num_rows: int, num_columns: int, has_bias: bool
) -> None:
    torch.manual_seed(0)
    linear, first = nn.Linear(256, num_columns + 2, bias=has_bias), 2
    x, to = torch.randn(num_rows, 256), torch.randn(num_rows, num_columns)
    with torch.inference_mode():
        linear_map = prepare_linear(linear, num_rows=64, first=first)
        assert type(linear_map) is KINDS[kind]
        expected = linear.double()(x.double())[:, first:].float()
        assert_close(linear_map.apply(x), expected)
        assert_close(linear_map.apply(x, out=torch.empty(num_rows, num_columns)), expected)
        assert linear_map.apply(x).is_contiguous()  # callers split the columns into heads
        total = to.clone()
        linear_map.add_to(total, x)
        assert_close(total, to + expected)


def test_weights_are_not_packed_for_a_small_batch(kind: str) -> None:
    with torch.inference_mode():
        assert type(prepare_linear(nn.Linear(256, 256), num_rows=4)) is (LinearMap if kind == "packed" else KINDS[kind])


@pytest.mark.parametrize("num_rows", [1, 4])
def test_the_out_tensor_is_used_unless_weights_are_packed(num_rows: int, kind: str) -> None:
    x, out = torch.randn(num_rows, 256), torch.empty(num_rows, 256)
    with torch.inference_mode():
        assert (prepare_linear(nn.Linear(256, 256), num_rows=64).apply(x, out) is out) == (kind != "packed")


def assert_close(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=0, atol=1e-5)
