"""Waiting until something holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVarTuple

from pytestqt.qtbot import QtBot

from tests.gui.conftest import WAIT_MS

Things = TypeVarTuple("Things")


def wait_for(qtbot: QtBot, holds: Callable[[*Things], bool], *things: *Things) -> None:
    """Wait until it holds of these: a lambda in a loop would else mean whichever the loop has come to."""
    qtbot.waitUntil(lambda: holds(*things), timeout=WAIT_MS)
