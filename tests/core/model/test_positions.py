"""Sinusoidal and learned positions."""

import pytest
import torch
from torch import nn

from core.model.positions import LearnedPositions, SinusoidalPositions
from core.sinusoids import sinusoids


def test_sinusoidal_positions_equal_the_formula() -> None:
    assert torch.equal(SinusoidalPositions(200, 12)(200), torch.from_numpy(sinusoids(200, 12)).float())


@pytest.mark.parametrize("kind", [SinusoidalPositions, LearnedPositions])
def test_fewer_positions_are_the_beginning_of_the_table(kind: type[nn.Module]) -> None:
    positions = kind(20, 8)
    for parameter in positions.parameters():
        nn.init.normal_(parameter)
    table = positions(20)
    assert table.shape == (20, 8)
    assert torch.equal(positions(5), table[:5])


def test_only_learned_positions_are_weights() -> None:
    assert SinusoidalPositions(20, 8).state_dict() == {}
    assert list(LearnedPositions(20, 8).state_dict()) == ["weight"]
