"""The interpreter's switch interval between threads."""

from __future__ import annotations

import sys

import pytest

from gui.switch_interval import SWITCH_INTERVAL_S, short_switch_interval


def test_the_switch_interval_is_short_only_within_the_block() -> None:
    before = sys.getswitchinterval()
    with pytest.raises(KeyError), short_switch_interval():
        assert sys.getswitchinterval() == pytest.approx(SWITCH_INTERVAL_S) and before > SWITCH_INTERVAL_S
        raise KeyError
    assert sys.getswitchinterval() == before
