"""The table of sinusoidal positions, compared with the paper's formula."""

import math

import pytest

from core.sinusoids import sinusoids


@pytest.mark.parametrize("width", [1, 12, 13])
def test_sinusoids_equal_the_papers_formula(width: int) -> None:
    table = sinusoids(200, width)
    assert table.shape == (200, width)
    for position in (0, 1, 7, 199):
        for dimension in range(width):
            angle = position / 10000 ** (dimension // 2 * 2 / width)
            expected = math.cos(angle) if dimension % 2 else math.sin(angle)
            assert table[position, dimension] == pytest.approx(expected, abs=1e-12)
