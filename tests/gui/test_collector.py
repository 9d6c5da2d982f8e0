"""Full garbage collections during a run."""

import gc

from core.engine import Engine
from core.presets import read_preset
from core.requests import Prepare
from gui.bridge import EngineBridge
from gui.collector import calm_collector


def test_start_up_is_set_aside_once_data_is_prepared(qtbot) -> None:
    bridge = EngineBridge(Engine())
    try:
        with calm_collector(bridge):
            assert not gc.isenabled()
            before = gc.get_freeze_count()
            bridge.ask(Prepare(config=read_preset("copy_task", ("model.d_model=16",))))
            qtbot.waitUntil(gc.isenabled, timeout=30_000)
            assert gc.get_freeze_count() > before
        assert gc.isenabled()
        assert gc.get_freeze_count() == 0
    finally:
        gc.freeze()  # as for all tests
        bridge.close()
