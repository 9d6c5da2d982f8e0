"""The readout of a cell of the confusion matrix."""

from __future__ import annotations

import numpy as np

from core.analysis.confusion import Confusion
from gui.panels.validation.confusion_map import explain


def test_a_symbol_expected_once_is_described_in_the_singular() -> None:
    confusion = Confusion(
        symbols=("a", "b"),
        written=("a", "b"),
        counts=np.array([[1, 1], [1, 0]]),
        times=np.array([2, 1]),
        sentences=(),
        errors=2,
    )
    assert explain(confusion, 0, 1) == "“a” written as “b”: 1 of 2 times."
    assert explain(confusion, 1, 0) == "“b” written as “a”: 1 of 1 time."
