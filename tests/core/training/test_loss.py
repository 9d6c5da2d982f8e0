"""The loss and its gradients, compared with the plain formula."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from core.label_smoothing import smoothed_loss, smoothed_targets
from core.training.flat_parameters import FlatParameters
from core.training.loss import Loss, LossPass
from core.training.passes.linear import LinearPass
from core.training.passes.weights import Weights, at_least_float32
from tests.record_calls import record_calls


def plain_objective(logits: torch.Tensor, targets: torch.Tensor, eps: float) -> float:
    """Cross entropy against (1 - eps) one-hot + eps / V everywhere, written out in float64."""
    total = 0.0
    for row, target in zip(logits.double(), targets.tolist(), strict=True):
        log_probabilities = row - row.exp().sum().log()
        wanted = torch.full_like(row, eps / len(row))
        wanted[target] += 1.0 - eps
        total -= float((wanted * log_probabilities).sum())
    return total


def losses(hidden: torch.Tensor, targets: torch.Tensor, output: nn.Linear, eps: float) -> tuple[Loss, torch.Tensor]:
    """The losses summed over the rows, and the gradient of `hidden`; the projection's gradients are in `grad`."""
    weights = Weights(output, FlatParameters(output), output.weight.dtype)
    return LossPass(LinearPass(output, weights)).forward_backward(hidden, targets, eps, scale=1.0)


@pytest.mark.parametrize("vocab_size", [7, 40])  # other code computes the softmax over few tokens
@pytest.mark.parametrize("eps", [0.0, 0.1, 0.9])
def test_objective_and_cross_entropy_equal_the_plain_formula(eps: float, vocab_size: int) -> None:
    torch.manual_seed(0)
    hidden, targets, output = 3 * torch.randn(20, 5), torch.randint(vocab_size, (20,)), nn.Linear(5, vocab_size)
    logits = output(hidden).detach()
    loss, _ = losses(hidden, targets, output, eps)
    assert float(loss.objective) == pytest.approx(plain_objective(logits, targets, eps), rel=1e-5)
    assert float(loss.cross_entropy) == pytest.approx(plain_objective(logits, targets, 0.0), rel=1e-5)
    assert float(loss.objective) == pytest.approx(
        float(F.cross_entropy(logits, targets, reduction="sum", label_smoothing=eps)), rel=1e-5
    )


@pytest.mark.parametrize("eps", [0.0, 0.1, 0.9])
def test_the_loss_uses_the_smoothed_targets_that_the_window_draws(eps: float) -> None:
    torch.manual_seed(0)
    hidden, right, output = 3 * torch.randn(20, 5), torch.randint(7, (20,)), nn.Linear(5, 7)
    probabilities, weight = output(hidden).detach().softmax(-1).double().numpy(), output.weight.detach().numpy()
    loss, d_hidden = losses(hidden, right, output, eps)
    targets = smoothed_targets(right.numpy(), 7, eps)
    assert float(loss.objective) == pytest.approx(smoothed_loss(probabilities, targets).sum(), rel=1e-5)
    torch.testing.assert_close(d_hidden.double(), torch.from_numpy((probabilities - targets) @ weight))


@pytest.mark.parametrize("eps", [0.0, 0.2])
def test_gradients_are_those_of_the_objective_only(eps: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are processed in chunks of 3, of which the last is shorter."""
    monkeypatch.setattr("core.training.loss._CHUNK_BYTES", 3 * 6 * 8)
    monkeypatch.setattr("core.training.loss._MIN_ROWS", 1)
    torch.manual_seed(0)
    hidden, targets = torch.randn(8, 5, dtype=torch.float64, requires_grad=True), torch.randint(6, (8,))
    output = nn.Linear(5, 6, dtype=torch.float64)
    objective = F.cross_entropy(output(hidden), targets, reduction="sum", label_smoothing=eps)
    expected = torch.autograd.grad(objective, [hidden, output.weight, output.bias])
    chunks = record_calls(monkeypatch, LinearPass, "forward")
    _, d_hidden = losses(hidden.detach(), targets, output, eps)
    assert [len(x) for _, x in chunks] == [3, 3, 2]
    torch.testing.assert_close((d_hidden, output.weight.grad, output.bias.grad), expected)


def test_large_vocabularies_are_processed_256_rows_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if fewer rows fit into the bytes of a chunk."""
    monkeypatch.setattr("core.training.loss._CHUNK_BYTES", 1)
    chunks = record_calls(monkeypatch, LinearPass, "forward")
    losses(torch.randn(300, 5), torch.zeros(300, dtype=torch.int64), nn.Linear(5, 6), 0.0)
    assert [len(x) for _, x in chunks] == [256, 44]


def test_a_loss_near_zero_and_a_huge_loss_are_accurate() -> None:
    """The huge loss is capped by the range of float32; its gradient is not."""
    output = nn.Linear(2, 20, bias=False)
    nn.init.zeros_(output.weight)
    with torch.no_grad():
        output.weight[0, 0], output.weight[1, 1] = 12.0, 80.0
    near_zero = math.log1p(19 * math.exp(-12.0))
    certain, _ = losses(torch.tensor([[1.0, 0.0]]), torch.tensor([0]), output, 0.0)
    assert float(certain.cross_entropy) == pytest.approx(near_zero, rel=0.02)
    uncertain, _ = losses(torch.tensor([[0.0, 1.0]]), torch.tensor([2]), output, 0.0)
    assert float(uncertain.cross_entropy) == pytest.approx(80.0)
    huge, d_hidden = losses(torch.tensor([[0.0, 10.0]]), torch.tensor([2]), output, 0.0)
    assert float(huge.cross_entropy) == pytest.approx(87.3, abs=0.1)
    torch.testing.assert_close(d_hidden, torch.tensor([[0.0, 80.0]]))


def test_the_objective_of_a_diverging_run_is_not_negative() -> None:
    """The right logit is 19,000 below their mean; of the uniform part, at least log 20 is known."""
    output = nn.Linear(1, 20, bias=False)
    nn.init.ones_(output.weight)
    with torch.no_grad():
        output.weight[2] = -19.0
    loss, _ = losses(torch.tensor([[1000.0]]), torch.tensor([2]), output, 0.1)
    assert float(loss.objective) == pytest.approx(0.9 * float(loss.cross_entropy) + 0.1 * math.log(20))


@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_rows_without_a_token_count_for_nothing(
    dtype: torch.dtype, has_bias: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.training.loss._CHUNK_BYTES", 1)
    monkeypatch.setattr("core.training.loss._MIN_ROWS", 4)
    torch.manual_seed(0)
    hidden, targets = torch.randn(9, 5).to(dtype), torch.randint(40, (9,))
    output = nn.Linear(5, 40, has_bias, dtype=dtype)
    mask = torch.zeros(9, dtype=torch.bool).index_fill_(0, torch.tensor([0, 2, 3, 7]), True)
    weights = Weights(output, FlatParameters(output), dtype)
    loss_pass = LossPass(LinearPass(output, weights))

    def gradients() -> list[torch.Tensor]:
        return [weights[parameter].gradient.clone() for parameter in output.parameters()]

    expected, d_real = loss_pass.forward_backward(hidden[mask], targets[mask], 0.1, 0.3)
    expected_gradients = gradients()
    scale = torch.tensor(0.3, dtype=at_least_float32(dtype))
    loss, d_hidden = loss_pass.forward_backward_masked(hidden, targets, mask, 0.1, scale)
    rtol, atol = (0.03, 0.005) if dtype == torch.bfloat16 else (1e-12, 1e-12)
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close([*gradients(), d_hidden[mask]], [*expected_gradients, d_real], rtol=rtol, atol=atol)
    assert not bool(d_hidden[~mask].any())
