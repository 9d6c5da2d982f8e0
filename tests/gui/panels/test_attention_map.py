"""The large map and the grid of heads, in the real window."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from gui.head_picture import chosen_head
from gui.main_window import MainWindow
from gui.panels.attention_map import AttentionMap
from gui.panels.head_grid import HeadGrid
from tests.gui.conftest import WAIT_MS


def test_the_map_shows_the_chosen_head_of_the_probe(window: MainWindow, qtbot: QtBot) -> None:
    panel, selection = window.train_view.findChild(AttentionMap), window.context.selection
    probe = window.context.bridge.history.probe(0)
    qtbot.waitUntil(lambda: panel.canvas.picture is not None, timeout=WAIT_MS)
    for kind in ("encoder_self", "decoder_self", "cross"):
        selection.choose(kind=kind, head=1)
        expected = chosen_head(probe.sentences[0], selection)
        qtbot.waitUntil(
            lambda expected=expected: np.array_equal(panel.canvas.picture.weights, expected.weights), timeout=WAIT_MS
        )
        assert panel.canvas.picture.rows == expected.rows
        assert panel.canvas.picture.is_causal == (kind == "decoder_self")


def test_arrow_keys_read_weights_aloud(window: MainWindow, qtbot: QtBot) -> None:
    canvas = window.train_view.findChild(AttentionMap).canvas
    qtbot.waitUntil(lambda: canvas.picture is not None, timeout=WAIT_MS)
    qtbot.keyClick(canvas, Qt.Key.Key_Down)
    picture = canvas.picture
    assert canvas.readout() == (
        f"{picture.rows[1]}  reads from  {picture.columns[0]}  with weight {picture.weights[1, 0]:.3f}"
    )
    assert canvas.accessibleDescription() == canvas.readout()


def test_the_mouse_reads_the_cell_below_it(window: MainWindow, qtbot: QtBot) -> None:
    canvas = window.train_view.findChild(AttentionMap).canvas
    qtbot.waitUntil(lambda: canvas.picture is not None, timeout=WAIT_MS)
    centre = canvas._layout(canvas.picture).cell(2, 1).center().toPoint()
    qtbot.mouseMove(canvas, centre - QPoint(1, 1))
    qtbot.mouseMove(canvas, centre)
    assert f"{canvas.picture.rows[2]}  reads from  {canvas.picture.columns[1]}" in canvas.readout()


def test_a_masked_cell_says_so(window: MainWindow, qtbot: QtBot) -> None:
    canvas = window.train_view.findChild(AttentionMap).canvas
    window.context.selection.choose(kind="decoder_self")
    qtbot.waitUntil(lambda: canvas.picture is not None and canvas.picture.is_causal, timeout=WAIT_MS)
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert "comes later" in canvas.readout()


def test_a_click_in_the_grid_makes_a_head_large(window: MainWindow, qtbot: QtBot) -> None:
    grid, selection = window.train_view.findChild(HeadGrid).canvas, window.context.selection
    qtbot.waitUntil(lambda: bool(grid._rows), timeout=WAIT_MS)
    qtbot.mouseClick(grid, Qt.MouseButton.LeftButton, pos=grid.cell(0, 1).center().toPoint())
    assert (selection.chosen.kind, selection.chosen.layer, selection.chosen.head) == ("encoder_self", 0, 1)
    qtbot.keyClick(grid, Qt.Key.Key_Down)
    assert selection.chosen.kind == "decoder_self"
