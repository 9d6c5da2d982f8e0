"""Dropout: its rate, scale, gradients and random stream."""

import math

import pytest
import torch
from torch import Tensor

from core.model.dropout import Dropout, DropoutRate


def training(rate: float, seed: int = 0) -> Dropout:
    torch.manual_seed(seed)
    return Dropout(rate).train()


@pytest.mark.parametrize("rate", [0.1, 0.25, 0.5, 0.9])
def test_the_rate_holds_in_every_lane_column_and_section(rate: float) -> None:
    num_rows, width = 4096, 64
    kept = training(rate)(torch.ones(num_rows, width)) != 0
    for kept_share, samples in (
        (kept.float().mean(0), num_rows),  # per column
        (kept.view(-1, 4).float().mean(0), num_rows * width // 4),  # per 16-bit lane of a drawn integer
        (kept.view(64, -1).float().mean(1), num_rows * width // 64),  # per section of the stream
    ):
        five_deviations = 5 * math.sqrt(rate * (1 - rate) / samples)
        assert (kept_share - (1 - rate)).abs().max() < five_deviations


def test_neighbours_are_dropped_independently() -> None:
    dropped = (training(0.5)(torch.ones(1 << 18)) == 0).float() - 0.5
    for distance in (1, 2, 3, 4, 8, 16):
        correlation = 4 * (dropped[distance:] * dropped[:-distance]).mean()
        assert abs(correlation) < 5 / math.sqrt(1 << 18)


def test_kept_elements_are_scaled_by_the_rounded_rate() -> None:
    x = torch.randn(300, 7)
    y = training(0.1)(x)
    rounded_rate = round(0.1 * 65536) / 65536
    kept = y != 0
    torch.testing.assert_close(y[kept], x[kept] / (1 - rounded_rate), rtol=1e-6, atol=0)


def test_the_smallest_and_the_largest_rate_have_an_effect() -> None:
    few = training(1 / 65536)(torch.ones(1 << 20)) == 0
    assert 0 < few.sum() < 60
    most = training(0.99999)(torch.ones(1 << 20))
    assert most.isfinite().all()
    assert 0 < (most != 0).sum() < 60


def test_gradients_pass_through_kept_elements() -> None:
    x = torch.randn(33, 5, requires_grad=True)
    dropout = training(0.3)
    y = dropout(x)
    (gradient,) = torch.autograd.grad(y.sum(), x)
    torch.testing.assert_close(gradient * x, y.detach())


def test_adding_to_a_residual_equals_dropout_and_a_sum() -> None:
    def results(together: bool) -> tuple[Tensor, ...]:
        dropout = training(0.3, seed=5)
        residual, x = (torch.linspace(a, 2.0, 24).view(2, 3, 4).requires_grad_() for a in (-1.0, 1.0))
        y = dropout.add(residual, x) if together else residual + dropout(x)
        return y, *torch.autograd.grad(y.square().sum(), (residual, x))

    for one, two in zip(results(True), results(False), strict=True):
        torch.testing.assert_close(one, two)


def test_the_same_generator_state_gives_the_same_mask() -> None:
    dropout, x = training(0.4), torch.ones(1001)
    state = torch.get_rng_state()
    first, second = dropout(x), dropout(x)
    torch.set_rng_state(state)
    assert torch.equal(dropout(x), first)
    assert torch.equal(dropout(x), second)
    assert not torch.equal(first, second)
    assert not torch.equal(training(0.4, seed=1)(x), training(0.4, seed=2)(x))


def test_without_training_or_rate_nothing_is_drawn() -> None:
    x = torch.ones(5)
    idle, never = Dropout(0.5).eval(), training(0.0)
    state = torch.get_rng_state()
    assert idle(x) is x
    assert never(x) is x
    assert torch.equal(idle.add(x, x), x + x)
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize("shape", [(), (1,), (3,), (5, 7), (0, 4)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_any_shape_and_dtype_is_supported(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    y = training(0.5)(torch.ones(shape, dtype=dtype))
    assert y.shape == shape
    assert y.dtype == dtype
    assert set(y.flatten().tolist()) <= {0.0, 2.0}


def test_dropout_works_on_a_transposed_input() -> None:
    x = torch.ones(64, 32).t()
    y = training(0.5)(x)
    assert 0.4 < (y == 0).float().mean() < 0.6


@pytest.mark.parametrize("rate", [1e-9, 0.1, 0.3, 0.5, 1 - 1e-9])
def test_masks_are_the_same_in_float32_and_bfloat16(rate: float) -> None:
    masks = []
    for dtype in (torch.float32, torch.bfloat16):
        torch.manual_seed(0)
        masks.append(DropoutRate(rate).draw_mask(torch.empty(400_000, dtype=dtype)).float())
    torch.testing.assert_close(*masks, rtol=0, atol=0)
    assert set(masks[0].tolist()) <= {0.0, 1.0}
