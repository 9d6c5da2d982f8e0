"""The loss against the plain formula, and that padding has no part in it."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from core.training.loss import smoothed_cross_entropy


def plain_objective(logits: torch.Tensor, targets: torch.Tensor, eps: float) -> float:
    """Cross entropy against (1 - eps) one-hot + eps / V everywhere, written out in float64."""
    total = 0.0
    for row, target in zip(logits.double(), targets.tolist(), strict=True):
        log_probabilities = row - row.exp().sum().log()
        wanted = torch.full_like(row, eps / len(row))
        wanted[target] += 1.0 - eps
        total -= float((wanted * log_probabilities).sum())
    return total


@pytest.mark.parametrize("eps", [0.0, 0.1, 0.9])
def test_objective_and_cross_entropy_equal_the_plain_formula(eps: float) -> None:
    torch.manual_seed(0)
    logits, targets = 3 * torch.randn(20, 7), torch.randint(7, (20,))
    loss = smoothed_cross_entropy(logits, targets, eps)
    assert float(loss.objective) == pytest.approx(plain_objective(logits, targets, eps), rel=1e-5)
    assert float(loss.cross_entropy) == pytest.approx(plain_objective(logits, targets, 0.0), rel=1e-5)
    assert float(loss.objective) == pytest.approx(
        float(F.cross_entropy(logits, targets, reduction="sum", label_smoothing=eps)), rel=1e-5
    )


def test_the_gradient_is_the_objectives_alone() -> None:
    logits = torch.randn(4, 5, requires_grad=True)
    targets = torch.tensor([0, 1, 2, 4])
    loss = smoothed_cross_entropy(logits, targets, 0.2)
    assert not loss.cross_entropy.requires_grad
    loss.objective.backward()  # type: ignore[no-untyped-call]
    wanted = 0.8 * F.one_hot(targets, 5) + 0.2 / 5
    assert logits.grad is not None
    torch.testing.assert_close(logits.grad, logits.detach().softmax(-1) - wanted)
