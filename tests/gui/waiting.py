"""Waiting for a condition."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVarTuple

from pytestqt.qtbot import QtBot

from tests.gui.conftest import WAIT_MS

Arguments = TypeVarTuple("Arguments")


def wait_for(qtbot: QtBot, condition: Callable[[*Arguments], bool], *arguments: *Arguments) -> None:
    """Wait until the condition holds for these arguments; a lambda in a loop would use the loop's latest values."""
    qtbot.waitUntil(lambda: condition(*arguments), timeout=WAIT_MS)
