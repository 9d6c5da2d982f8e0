"""The accuracy plots behind More: what is counted, and how it is described."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot

from core.events import StateChanged
from core.run_files.validation_file import validation_bytes
from gui.main_window import MainWindow
from gui.runs.rows import example_path
from tests.core.analysis.sentences import subwords
from tests.gui.conftest import WAIT_MS


def test_with_subwords_whole_words_are_counted(empty_window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    run = Path(shutil.copytree(example_path(), tmp_path / "subwords"))
    sentences = (subwords("▁kal t es ▁bier", "kaltes wein", (0, 4, 0, 0, 0)), subwords("▁bier", "bier"))
    for path in (run / "validations").iterdir():
        path.write_bytes(validation_bytes(sentences))
    empty_window.context.workbench.open_run(run)
    view = empty_window.train_view
    qtbot.waitUntil(lambda: empty_window.context.bridge.history.last_step == 800, timeout=WAIT_MS)
    view.more_button.click()
    plots = view.accuracy_plots
    qtbot.waitUntil(lambda: not plots.is_empty, timeout=WAIT_MS)
    assert plots.numbers()[1:] == [
        ("place", 1, 2, 0.5, 1.0),
        ("place", 2, 1, 1.0, 0.0),
        ("length", 1, 1, 1.0, 1.0),
        ("length", 2, 1, 0.0, 0.0),
    ]
    assert plots.by_position.getAxis("bottom").labelText == "words right, by place"
    description = plots.by_position.accessibleDescription() + plots.by_length.accessibleDescription()
    assert "Place 2: words right 100.0 % teacher-forced, 0.0 % free-running, of 1 sentence." in description
    assert "nan" not in description


def test_before_any_validation_space_is_only_named_where_it_learns(
    window: MainWindow, qtbot: QtBot, wait_for_state: Callable[[str], None]
) -> None:
    view = window.train_view
    view.more_button.click()  # builds the panels
    panels = (view.learned_map, view.confusion_map, view.accuracy_plots)
    qtbot.waitUntil(lambda: all("press Space to learn" in one.empty_label.text() for one in panels), timeout=WAIT_MS)
    window.context.workbench.learn(3)
    wait_for_state("paused")
    qtbot.waitUntil(lambda: not any("Space" in one.empty_label.text() for one in panels), timeout=WAIT_MS)
    assert all("first validation" in one.empty_label.text() for one in panels)
    window.context.bridge.history.apply(StateChanged(state="failed", step=3))
    view.accuracy_plots.show_step(window.context.bridge.history, 3)
    assert view.accuracy_plots.empty_label.text() == "This run ended before its first validation."
