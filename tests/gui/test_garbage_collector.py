"""Garbage collection while the window is open."""

import gc
import threading

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from core.engine import Engine
from core.requests import Prepare
from core.settings.presets import read_preset
from gui.bridge import EngineBridge
from gui.garbage_collector import collecting_in_gui_thread
from tests.gui.conftest import WAIT_MS


class Garbage(QObject):
    """Refers to itself, so that only the collector frees it; records in which thread."""

    def __init__(self, collected_in: list[str]) -> None:
        super().__init__()
        self.itself = self
        self.collected_in = collected_in

    def __del__(self) -> None:
        self.collected_in.append(threading.current_thread().name)


def allocate(objects: list[list[int]]) -> None:
    """Allocate enough objects for a collection to be due."""
    objects += [[] for _ in range(10_000)]


def test_start_up_objects_are_frozen_and_only_the_gui_thread_collects(qtbot: QtBot, engines_share_a_host: None) -> None:
    bridge = EngineBridge(Engine())
    gc.enable()
    try:
        with collecting_in_gui_thread(bridge):
            before = gc.get_freeze_count()
            bridge.ask(Prepare(config=read_preset("copy_task", ("model.d_model=16",))))
            qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
            assert gc.get_freeze_count() > before  # once: it walks through all frozen objects, here a million
            collected_in: list[str] = []
            objects: list[list[int]] = []
            Garbage(collected_in)
            other = threading.Thread(target=allocate, args=(objects,))
            other.start()
            other.join()
            assert not collected_in
            qtbot.waitUntil(lambda: bool(collected_in), timeout=WAIT_MS)
            assert collected_in == [threading.main_thread().name]
    finally:
        bridge.close()
