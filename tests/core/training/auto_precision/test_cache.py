"""Measured times are cached, and a damaged cache counts as empty."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.training.auto_precision.cache import cache_file, cached_seconds, store_seconds
from core.training.auto_precision.timing import Seconds
from tests.core.training.auto_precision.test_sample import PAPER

MEASURED = Seconds(float32=0.5, bfloat16=0.25)


def test_measured_times_are_found_only_for_the_same_size() -> None:
    assert cached_seconds(PAPER) is None
    store_seconds(PAPER, MEASURED)
    store_seconds(replace(PAPER, sentences=2), Seconds(1.0, 2.0))
    assert cached_seconds(PAPER) == MEASURED
    assert cached_seconds(replace(PAPER, sentences=1)) is None


@pytest.mark.parametrize("damage", [b"{", b"[]", b'{"a": [-1.0, 1.0]}', b'{"a": [NaN, 1.0]}', b"\xff\x00"])
def test_a_damaged_cache_is_replaced(damage: bytes) -> None:
    cache_file().parent.mkdir(parents=True)
    cache_file().write_bytes(damage)
    assert cached_seconds(PAPER) is None
    store_seconds(PAPER, MEASURED)
    assert cached_seconds(PAPER) == MEASURED


def test_an_unwritable_cache_is_no_error() -> None:
    cache_file().mkdir(parents=True)  # a folder where the file should be
    store_seconds(PAPER, MEASURED)
    assert cached_seconds(PAPER) is None
