"""What a panel exports, through the real window."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from gui.panel import Panel
from gui.pictures.export_button import ExportButton
from tests.gui.conftest import WAIT_MS


def action(panel: Panel, text: str) -> QAction:
    """An entry of the panel's menu, as it is when the menu opens."""
    menu = panel.findChild(ExportButton).menu()
    menu.aboutToShow.emit()
    return next(action for action in menu.actions() if action.text() == text)


@pytest.fixture
def trained(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """Ten steps were learned, and drawn."""
    window.context.workbench.step(10)
    qtbot.waitUntil(lambda: window.context.playhead.live_step == 10, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.context.bridge.state == "paused", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not window.train_view.curves.is_dirty, timeout=WAIT_MS)
    return window


def table(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines()))


def test_the_numbers_of_every_picture_are_those_of_the_run(
    trained: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history, view = trained.context.bridge.history, trained.train_view
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "curves.csv"), ""))
    action(view.curves, "Save numbers …").trigger()
    head, *lines = table((tmp_path / "curves.csv").read_text(encoding="utf-8"))
    column = head.index("train/loss")
    assert [int(line[0]) for line in lines] == list(range(1, 11))
    np.testing.assert_array_equal([float(line[column]) for line in lines], history.curve("train/loss")[1])

    probe = history.probe(10)
    assert probe is not None and probe.sentences[0].by_reference is not None
    cross = probe.sentences[0].by_reference.cross[-1, 0]
    action(view.attention_map, "Copy numbers").trigger()
    head, *lines = table(QGuiApplication.clipboard().text())
    assert tuple(head[1:]) == probe.sentences[0].src_tokens
    np.testing.assert_array_equal(np.array([line[1:] for line in lines], np.float16), cross)

    action(view.head_grid, "Copy numbers").trigger()
    head, *lines = table(QGuiApplication.clipboard().text())
    of_head = [float(line[6]) for line in lines if line[:3] == ["cross", "1", "1"]]
    np.testing.assert_array_equal(np.array(of_head, np.float16), cross.ravel())


def test_a_picture_goes_into_a_file_and_into_the_clipboard(
    trained: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []

    def choose(parent: object, title: str, name: str, kinds: str) -> tuple[str, str]:
        names.append(name)
        return str(tmp_path / name), kinds

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    action(trained.train_view.attention_map, "Save picture …").trigger()
    assert names == ["cross_attention_layer_1_head_1_fed_by_the_reference_step_10.svg"]
    assert (tmp_path / names[0]).read_text(encoding="utf-8").startswith("<?xml")
    action(trained.train_view.curves, "Copy picture").trigger()
    assert QGuiApplication.clipboard().image().width() > 1000


@pytest.mark.parametrize("text", ["Save picture …", "Save numbers …"])
def test_a_file_that_cannot_be_written_is_told_in_the_strip(
    trained: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "gone" / "a.svg"), ""))
    action(trained.train_view.curves, text).trigger()
    qtbot.waitUntil(trained.strip.isVisible, timeout=WAIT_MS)
    assert "a.svg cannot be written: No such file or directory" in trained.strip.sentence.text()


def test_a_panel_without_a_picture_offers_nothing(window: MainWindow, qtbot: QtBot) -> None:
    window.show_view(2)
    tokens = window.translate_view.tokens
    window.translate_view.typed.text = ""
    window.translate_view.typed.translation = None
    tokens.show_step(window.context.bridge.history, 0)
    assert not action(tokens, "Copy picture").isEnabled()
    assert not action(tokens, "Save numbers …").isEnabled()
