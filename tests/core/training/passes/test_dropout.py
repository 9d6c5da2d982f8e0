"""Dropout masks: their rate, independence, scaling and memory."""

from __future__ import annotations

import math
import weakref

import pytest
import torch
from torch import Tensor

from core.training.passes.dropout import DropoutMasks

CPU = torch.device("cpu")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_the_rate_holds_in_every_lane_mask_and_column(rate: float, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    masks, shape, num_places = DropoutMasks(rate, dtype, CPU), torch.Size((512, 64)), 8
    masks.draw(num_places * shape.numel())
    kept = torch.stack([masks.next(shape) for _ in range(num_places)]).float()
    assert set(kept.flatten().tolist()) == {0.0, 1.0}
    for share, samples in (
        (kept.mean((0, 1)), num_places * 512),  # per column
        (kept.mean((1, 2)), shape.numel()),  # per dropout layer
        (kept.view(-1, 4).mean(0), kept.numel() // 4),  # per 16-bit lane of a drawn integer
    ):
        assert (share - (1 - rate)).abs().max() < 5 * math.sqrt(rate * (1 - rate) / samples)


def test_masks_of_different_layers_and_batches_differ() -> None:
    masks, shape = DropoutMasks(0.5, torch.float32, CPU), torch.Size((10, 10))
    drawn = []
    for _ in range(2):
        masks.draw(200)
        drawn += [masks.next(shape).clone(), masks.next(shape).clone()]
    assert not any(torch.equal(a, b) for a in drawn for b in drawn if a is not b)


def test_kept_elements_are_scaled_by_the_rounded_rate() -> None:
    masks, x = DropoutMasks(0.1, torch.float32, CPU), torch.randn(100, 10)
    masks.draw(x.numel())
    mask = masks.next(x.shape)
    rounded_rate = round(0.1 * 65536) / 65536
    torch.testing.assert_close(masks.add(None, x, mask), x * mask / (1 - rounded_rate))
    torch.testing.assert_close(masks.add(x, x, mask), x + x * mask / (1 - rounded_rate))


def test_memory_is_allocated_once() -> None:
    masks = DropoutMasks(0.1, torch.float32, CPU)
    masks.draw(1000)
    first = masks.next(torch.Size((1000,))).data_ptr()
    masks.draw(500)
    assert masks.next(torch.Size((500,))).data_ptr() == first


def test_the_old_memory_is_free_when_more_is_allocated(monkeypatch: pytest.MonkeyPatch) -> None:
    masks, new_empty = DropoutMasks(0.1, torch.float32, CPU), Tensor.new_empty
    masks.draw(500)
    old = weakref.ref(masks._buffer)

    def allocating(one: Tensor, size: int) -> Tensor:
        assert size == 0 or old() is None
        return new_empty(one, size)

    monkeypatch.setattr(Tensor, "new_empty", allocating)
    masks.draw(1000)
    assert len(masks._buffer) == 1000


def test_without_a_rate_nothing_is_drawn() -> None:
    state = torch.get_rng_state()
    masks = DropoutMasks(0.0, torch.float32, CPU)
    masks.draw(1000)
    assert not masks.is_active
    assert torch.equal(torch.get_rng_state(), state)
