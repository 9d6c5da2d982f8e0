"""Softmax step by step and by torch's kernel, compared with autograd."""

from __future__ import annotations

import pytest
import torch

from core.model.softmax import softmax, softmax_backward


@pytest.mark.parametrize("length", [1, 2, 10, 15, 16, 17, 40])
def test_softmax_and_its_gradient_equal_autograd(length: int) -> None:
    torch.manual_seed(0)
    x = 5 * torch.randn(3, 4, length, dtype=torch.float64)
    x[0, 0, length // 2 + 1 :] = -torch.inf
    x.requires_grad_()
    expected, gradient = torch.softmax(x, -1), torch.randn_like(x)
    (d_expected,) = torch.autograd.grad(expected, x, gradient)
    y = softmax(x.detach().clone())
    torch.testing.assert_close(y, expected.detach())
    torch.testing.assert_close(softmax_backward(gradient, y), d_expected)


@pytest.mark.parametrize("length", [3, 30])
def test_huge_scores_do_not_overflow(length: int) -> None:
    y = softmax(torch.full((2, length), 1e4))
    torch.testing.assert_close(y, torch.full((2, length), 1 / length))
