"""Positions: the paper's formula, and a table that learns."""

import math

import pytest
import torch
from torch import nn

from core.model.positions import LearnedPositions, SinusoidalPositions, sinusoids


def test_sinusoids_are_the_papers() -> None:
    table = sinusoids(200, 12)
    for position in (0, 1, 7, 199):
        for i in range(6):
            angle = position / 10000 ** (2 * i / 12)
            assert table[position, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-12)
            assert table[position, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-12)


@pytest.mark.parametrize("kind", [SinusoidalPositions, LearnedPositions])
def test_the_first_positions_are_cut_from_the_table(kind: type[nn.Module]) -> None:
    positions = kind(20, 8)
    for parameter in positions.parameters():
        nn.init.normal_(parameter)
    whole = positions(20)
    assert whole.shape == (20, 8)
    assert torch.equal(positions(5), whole[:5])


def test_only_learned_positions_are_weights() -> None:
    assert SinusoidalPositions(20, 8).state_dict() == {}
    assert list(LearnedPositions(20, 8).state_dict()) == ["weight"]
