"""Whether a run's data are available."""

from __future__ import annotations

import pytest

from core.data.splits import has_pairs, pairs_unavailable


@pytest.mark.parametrize("num_pairs", [{"train": 3, "valid": 0}, {"train": None, "valid": 0}, {"train": 0, "test": 1}])
def test_data_are_available_if_any_split_has_pairs(num_pairs: dict[str, int | None]) -> None:
    assert has_pairs(num_pairs)


@pytest.mark.parametrize("num_pairs", [{}, {"train": 0, "valid": 0}])
def test_data_are_unavailable_if_no_split_has_pairs(num_pairs: dict[str, int | None]) -> None:
    assert not has_pairs(num_pairs)


def test_the_error_names_the_plugin() -> None:
    assert "its plugin 'mine' must give" in pairs_unavailable("mine")
