"""The Train view in windows of all sizes."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from tests.gui.conftest import WAIT_MS


def test_everything_stays_legible_at_any_zoom(qtbot: QtBot, window: MainWindow) -> None:
    view, scroll = window.train_view, window.train_view.findChild(QScrollArea)
    panels = (view.sentence_row, view.attention_map, view.head_grid, view.curves)
    fit = [lambda panel=panel: panel.height() >= panel.minimumSizeHint().height() for panel in panels]
    for zoom in (100, 150, 200):
        window.context.theme.set_zoom(zoom)
        window.resize(1280, 720)
        qtbot.waitUntil(lambda: scroll.widget().width() <= scroll.viewport().width(), timeout=WAIT_MS)
        qtbot.waitUntil(lambda: view.curves.loss.height() >= window.context.theme.px(70), timeout=WAIT_MS)
        qtbot.waitUntil(lambda: all(fits() for fits in fit), timeout=WAIT_MS)  # once what they show is laid out
        assert (scroll.verticalScrollBar().maximum() == 0) == (zoom == 100), zoom


def test_in_the_smallest_window_the_loss_has_room_to_fall_and_the_view_scrolls(
    qtbot: QtBot, window: MainWindow
) -> None:
    view, scroll = window.train_view, window.train_view.findChild(QScrollArea)
    window.resize(window.minimumSize())
    qtbot.waitUntil(lambda: scroll.verticalScrollBar().maximum() > 0, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: view.curves.loss.height() >= window.context.theme.px(70), timeout=WAIT_MS)
