"""Fractions as percentages."""

from __future__ import annotations

from core.per_cent import per_cent


def test_a_percentage_has_a_space_before_the_sign() -> None:
    assert (per_cent(0.583), per_cent(1.0, 1), per_cent(0.0049, 1)) == ("58 %", "100.0 %", "0.5 %")
