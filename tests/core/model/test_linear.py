"""The model's linear layer, computed by torch and by oneDNN."""

from __future__ import annotations

import pytest
import torch

from core.machine import onednn
from core.model.linear import Linear


@pytest.mark.parametrize("bias", [True, False])
def test_onednn_and_torch_give_the_same(bias: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onednn, "is_faster", lambda *_: True)
    torch.manual_seed(0)
    linear, x = Linear(24, 40, bias=bias), torch.randn(3, 5, 24)
    expected = linear(x)
    assert expected.requires_grad, "torch computes it if gradients are needed"
    for read in (x, x.transpose(0, 1).contiguous().transpose(0, 1)):
        with torch.inference_mode():
            torch.testing.assert_close(linear(read), expected.detach(), rtol=0, atol=1e-6)


def test_rows_are_counted_over_all_dimensions(monkeypatch: pytest.MonkeyPatch) -> None:
    row_counts: list[int] = []
    monkeypatch.setattr(onednn, "is_faster", lambda num_rows, _: row_counts.append(num_rows))
    with torch.inference_mode():
        Linear(4, 2)(torch.randn(3, 5, 4))
    assert row_counts == [15]
