"""The table of positions: the paper's formula."""

import math

import pytest

from core.sinusoids import sinusoids


def test_sinusoids_are_the_papers() -> None:
    table = sinusoids(200, 12)
    for position in (0, 1, 7, 199):
        for i in range(6):
            angle = position / 10000 ** (2 * i / 12)
            assert table[position, 2 * i] == pytest.approx(math.sin(angle), abs=1e-12)
            assert table[position, 2 * i + 1] == pytest.approx(math.cos(angle), abs=1e-12)
