"""A run's random sequence is independent of other random numbers."""

from __future__ import annotations

import torch

from core.training.random_state import RandomState

CPU = torch.device("cpu")


def draw(state: RandomState) -> torch.Tensor:
    with state.activated():
        return torch.rand(4)


def test_it_is_independent_of_torchs_global_sequence() -> None:
    torch.manual_seed(7)
    undisturbed = torch.rand(8)
    torch.manual_seed(7)
    state = RandomState(0, CPU)
    before = torch.rand(4)
    first = draw(state)
    after = torch.rand(4)
    second = draw(state)
    assert torch.equal(torch.cat([before, after]), undisturbed)
    torch.manual_seed(0)
    assert torch.equal(torch.cat([first, second]), torch.rand(8))


def test_a_sequence_continues_from_its_stored_state() -> None:
    state, other = RandomState(0, CPU), RandomState(1, CPU)
    draw(state)
    other.load_state(state.state())
    assert torch.equal(draw(state), draw(other))
