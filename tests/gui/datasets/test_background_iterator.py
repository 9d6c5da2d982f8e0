"""Long work in the background thread: watched, paused, replaced, failing."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from pytestqt.qtbot import QtBot

from core.errors import UserError
from core.events import Trouble
from gui.bridge import EngineBridge
from gui.datasets.background_iterator import BackgroundIterator
from tests.gui.conftest import WAIT_MS


def test_it_runs_in_the_background_while_watched(qtbot: QtBot, bridge: EngineBridge) -> None:
    items: list[int] = []
    threads: set[threading.Thread] = set()
    work = BackgroundIterator[int](bridge, items.append)

    def numbers() -> Iterator[int]:
        for number in range(3):
            threads.add(threading.current_thread())
            yield number

    work.start(numbers())
    assert items == []
    work.watch(True)
    qtbot.waitUntil(lambda: items == [0, 1, 2], timeout=WAIT_MS)
    assert threads.isdisjoint({threading.main_thread()})


def test_pausing_keeps_the_work_and_starting_other_work_drops_it(qtbot: QtBot, bridge: EngineBridge) -> None:
    items: list[str] = []
    work = BackgroundIterator[str](bridge, items.append)
    work.watch(True)
    work.start(iter("abc"))
    work.watch(False)  # one piece is being computed
    qtbot.waitUntil(lambda: items == ["a"], timeout=WAIT_MS)
    work.watch(True)
    work.start(iter("xy"))
    qtbot.waitUntil(lambda: items == ["a", "x", "y"], timeout=WAIT_MS)


def test_an_error_is_reported_and_other_work_continues(qtbot: QtBot, bridge: EngineBridge) -> None:
    troubles: list[Trouble] = []
    items: list[int] = []
    bridge.trouble.connect(troubles.append)

    def failing() -> Iterator[int]:
        yield 1
        raise UserError("The disk is gone.", "Find it.")

    work = BackgroundIterator[int](bridge, items.append)
    work.watch(True)
    work.start(failing())
    qtbot.waitUntil(lambda: [trouble.sentence for trouble in troubles] == ["The disk is gone."], timeout=WAIT_MS)
    work.start(iter([2]))
    qtbot.waitUntil(lambda: items == [1, 2], timeout=WAIT_MS)
