"""Watching does not change training: the same seed gives the same weights, watched in every view or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from pytestqt.qtbot import QtBot

from core.answers.head_ablation import HeadId
from core.config import RunConfig
from core.engine import Engine
from core.requests import Learn, Prepare, Start
from core.run_folder import RunFolder
from gui.main_window import VIEWS, MainWindow
from gui.panels.anatomy.dot_product import DotProductTopic
from tests.core.watcher import answered
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none

WaitForState = Callable[[str], None]


def test_the_same_seed_gives_the_same_weights_watched_or_not(
    window: MainWindow, qtbot: QtBot, wait_for_state: WaitForState, tmp_path: Path
) -> None:
    context = window.context
    config = not_none(context.bridge.history.prepared).config
    context.workbench.set_pace(2.0)
    context.workbench.learn()
    qtbot.waitUntil(lambda: context.playhead.live_step >= 2, timeout=WAIT_MS)
    context.workbench.set_pace(0.02)  # half an hour of steps for what follows
    for view in window.views:
        window.show_view(VIEWS.index(type(view)))
        scrub(window, qtbot)
    open_folded_parts(window, qtbot)
    assert context.bridge.state == "learning"
    context.workbench.set_pace(None)
    wait_for_state("finished")
    watched_weights, unwatched_weights = weights(not_none(context.workbench.run)), weights(unwatched(config, tmp_path))
    assert watched_weights.keys() == unwatched_weights.keys()
    for name, array in watched_weights.items():
        np.testing.assert_array_equal(array, unwatched_weights[name], err_msg=name, strict=True)


def scrub(window: MainWindow, qtbot: QtBot) -> None:
    """Move the playhead back through the probes and to the newest step, drawing after each move."""
    playhead = window.context.playhead
    for move in (lambda: playhead.view(2), lambda: playhead.view(0), playhead.go_live):
        with qtbot.waitSignal(window.context.redraw_scheduler.round_ended, timeout=WAIT_MS):
            move()


def open_folded_parts(window: MainWindow, qtbot: QtBot) -> None:
    """Open the learned map, a head ablation, a head's stages, a beam search, and two weights."""
    train, attention = window.train_view, window.attention_view
    translate, anatomy = window.translate_view, window.anatomy_view
    window.show_view(VIEWS.index(type(train)))
    train.more_button.click()
    scrub(window, qtbot)
    window.show_view(VIEWS.index(type(attention)))
    attention.more_button.click()
    attention.extras.entropy_box.click()
    attention.disabled_heads.toggle(HeadId("cross", 0, 1))
    is_answered(attention.ablation_panel, qtbot)
    window.show_view(VIEWS.index(type(translate)))
    translate.translate("1 2 1")
    qtbot.waitUntil(lambda: translate.typed.translation is not None, timeout=WAIT_MS)
    for page, panel in ((1, None), (2, translate.beam), (3, translate.other)):
        translate.pages.buttons[page].click()
        scrub(window, qtbot)
        if panel is not None:
            is_answered(panel, qtbot)
    window.show_view(VIEWS.index(type(anatomy)))
    anatomy.choose(DotProductTopic)
    is_answered(anatomy.topic, qtbot)
    scrub(window, qtbot)


def is_answered(panel: Any, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: panel.query.answer is not None, timeout=WAIT_MS)


def unwatched(config: RunConfig, folder: Path) -> Path:
    """The same run, trained by an engine without listeners."""
    with Engine(cache_dir=folder / "cache") as engine:
        answered(engine, Prepare(config=config))
        run = answered(engine, Start(runs_dir=folder / "alone"))
        answered(engine, Learn())
    return run


def weights(run: Path) -> dict[str, Any]:
    """The weights of the run's last checkpoint."""
    folder = RunFolder.open(run)
    return dict(folder.checkpoint(folder.checkpoint_step("last")).model)
