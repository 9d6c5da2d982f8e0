"""What was measured is found again, and a damaged memory is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.training.speed.memory import recall, remember, usual_place
from core.training.speed.timing import Seconds
from tests.core.training.speed.test_sample import PAPER

MEASURED = Seconds(float32=0.5, bfloat16=0.25)


def test_it_is_found_again_for_the_same_size_only() -> None:
    assert recall(PAPER) is None
    remember(PAPER, MEASURED)
    remember(replace(PAPER, sentences=2), Seconds(1.0, 2.0))
    assert recall(PAPER) == MEASURED
    assert recall(replace(PAPER, sentences=1)) is None


@pytest.mark.parametrize("damage", [b"{", b"[]", b'{"a": [-1.0, 1.0]}', b'{"a": [NaN, 1.0]}', b"\xff\x00"])
def test_a_damaged_memory_is_written_anew(damage: bytes) -> None:
    usual_place().parent.mkdir(parents=True)
    usual_place().write_bytes(damage)
    assert recall(PAPER) is None
    remember(PAPER, MEASURED)
    assert recall(PAPER) == MEASURED


def test_one_that_cannot_be_written_is_no_error() -> None:
    usual_place().mkdir(parents=True)  # a folder in the file's place
    remember(PAPER, MEASURED)
    assert recall(PAPER) is None
