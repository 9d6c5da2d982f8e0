"""ReLU on floating-point numbers and on the bits of bfloat16, compared with torch's."""

from __future__ import annotations

import pytest
import torch

from core.training.passes.relu import relu_, relu_backward_


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_relu_equals_torchs(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    special = torch.tensor([0.0, -0.0, torch.inf, -torch.inf, 1e-38, -1e-38, 1e-40, 3e38])
    x, gradient = (torch.cat([special, torch.randn(1000)]).to(dtype) for _ in range(2))
    expected = torch.relu(x)
    d_expected = torch.where(expected > 0, gradient, torch.zeros_like(gradient))
    y = relu_(x)
    assert y is x
    assert torch.equal(y, expected)
    relu_backward_(gradient, y)
    assert torch.equal(gradient, d_expected)
