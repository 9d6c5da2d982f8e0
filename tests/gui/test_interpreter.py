"""How long a thread waits for the interpreter."""

from __future__ import annotations

import sys

import pytest

from gui.interpreter import SWITCH_S, quick_to_yield


def test_threads_change_quickly_within_the_block_alone() -> None:
    before = sys.getswitchinterval()
    with pytest.raises(KeyError), quick_to_yield():
        assert sys.getswitchinterval() == pytest.approx(SWITCH_S) and before > SWITCH_S
        raise KeyError
    assert sys.getswitchinterval() == before
