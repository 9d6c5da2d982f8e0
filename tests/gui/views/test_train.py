"""The Train view in windows of all sizes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from gui.heads.head_picture import alignment_help
from gui.main_window import MainWindow
from gui.panel import Panel
from tests.gui.conftest import WAIT_MS
from tests.gui.legible import is_uncut
from tests.gui.not_none import child_of, not_none
from tests.gui.panels.learning.test_notice_bar import plant
from tests.gui.waiting import wait_for


def test_all_panels_fit_at_any_zoom(qtbot: QtBot, window: MainWindow) -> None:
    view, scroll, bar = window.train_view, child_of(window.train_view, QScrollArea), window.transport
    panels = (view.sentence_row, view.attention_map, view.head_grid, view.curves)

    def all_fit() -> bool:
        return all(panel.height() >= panel.minimumSizeHint().height() for panel in panels)

    for zoom in (100, 150, 200):
        window.context.theme.set_zoom(zoom)
        window.resize(1280, 720)
        qtbot.waitUntil(lambda: not_none(scroll.widget()).width() <= scroll.viewport().width(), timeout=WAIT_MS)
        qtbot.waitUntil(lambda: view.curves.loss.height() >= window.context.theme.px(70), timeout=WAIT_MS)
        qtbot.waitUntil(all_fit, timeout=WAIT_MS)  # after their layout
        qtbot.waitUntil(lambda: bar.height() == bar.heightForWidth(bar.width()), timeout=WAIT_MS)  # it leaves the rest
        wait_for(qtbot, lambda zoom: (scroll.verticalScrollBar().maximum() == 0) == (zoom < 200), zoom)


def test_heads_of_12_by_12_tokens_are_legible(qtbot: QtBot, empty_window: MainWindow, small_file: Path) -> None:
    config = small_file.read_text(encoding="utf-8").replace("length: 3", "length: 11")  # and <bos> or <eos>
    small_file.write_text(config.replace("coder_layers: 1", "coder_layers: 2"), encoding="utf-8")
    empty_window.setup_drawer.open_file(small_file)
    large, small = empty_window.train_view.attention_map, empty_window.train_view.head_grid
    qtbot.waitUntil(lambda: bool(small.canvas.rows) and not large.is_dirty, timeout=WAIT_MS)
    empty_window.resize(1280, 720)

    def are_legible() -> bool:
        picture, cell = not_none(large.canvas.picture), small.canvas.cell(5, 1)
        layout = large.canvas._layout(picture)
        assert len(picture.rows) == len(picture.columns) == 12
        is_named = layout.names_rows and layout.names_columns
        return is_named and layout.font == empty_window.context.theme.token_font() and min(cell.size().toTuple()) >= 24

    qtbot.waitUntil(are_legible, timeout=WAIT_MS)


def test_in_the_smallest_window_the_loss_is_high_enough_and_nothing_scrolls(qtbot: QtBot, window: MainWindow) -> None:
    view, scroll = window.train_view, child_of(window.train_view, QScrollArea)
    window.resize(window.minimumSize())
    qtbot.waitUntil(lambda: scroll.verticalScrollBar().maximum() == 0, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: view.curves.loss.height() >= window.context.theme.px(70), timeout=WAIT_MS)


def test_on_a_projector_map_and_loss_are_visible_below_one_row_of_transport(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    view, transport, playhead = window.train_view, window.transport, window.context.playhead
    window.resize(1280, 720)
    window.context.theme.set_zoom(150)
    for steps, state in ((10, "paused"), (30, "finished")):
        window.context.workbench.learn(steps)
        wait_for_state(state)
        for look in (lambda: playhead.view(5), playhead.go_live):
            look()
            qtbot.waitUntil(lambda: transport.height() < 2 * transport.learn_button.height(), timeout=WAIT_MS)
            qtbot.waitUntil(lambda: is_uncut(view.attention_map), timeout=WAIT_MS)
            qtbot.waitUntil(lambda: is_uncut(view.curves), timeout=WAIT_MS)
            assert view.attention_map.canvas.height() >= window.context.theme.px(160)
            assert view.curves.loss.height() >= window.context.theme.px(70)


def test_on_a_projector_a_notice_is_read_whole_and_takes_no_height_from_the_loss(
    qtbot: QtBot, window: MainWindow
) -> None:
    curves, notices, parts = window.train_view.curves, window.train_view.curves.notices, window.train_view.parts
    window.resize(1280, 720)
    window.context.theme.set_zoom(150)
    qtbot.waitUntil(lambda: not curves.is_dirty and is_uncut(curves), timeout=WAIT_MS)
    plant(notices, window.context.bridge.history, "dead_heads")
    notices.seen_label.setText("What was seen, in two lines. " * 5)
    sizes, loss_height = parts.sizes(), curves.loss.height()
    notices.chip.click()
    for label in (notices.seen_label, notices.usually_label):
        assert label.height() == label.heightForWidth(label.width()) > 0
    assert parts.sizes()[0] == sizes[0] and curves.loss.height() >= loss_height
    notices.chip.click()
    qtbot.waitUntil(lambda: parts.sizes() == sizes, timeout=WAIT_MS)


def test_on_a_projector_legend_and_rate_are_hidden_and_the_title_reads_out(qtbot: QtBot, window: MainWindow) -> None:
    view, theme = window.train_view, window.context.theme
    panel, rate = view.attention_map, view.curves.learning_rate
    window.resize(1280, 720)
    qtbot.waitUntil(lambda: panel.readout.isVisible() and rate.isVisible(), timeout=WAIT_MS)
    theme.set_zoom(150)
    qtbot.waitUntil(lambda: not panel.readout.isVisible() and not rate.isVisible(), timeout=WAIT_MS)
    before = panel.title_label.text()
    assert panel.title_label.toolTip() == f"{panel.canvas.legend()} {alignment_help('this head')}"
    QTest.keyClick(panel.canvas, Qt.Key.Key_Right)
    assert panel.title_label.text() == panel.canvas.readout() != ""
    panel.canvas._set_target(None)
    assert panel.title_label.text() == before
    theme.set_zoom(100)
    qtbot.waitUntil(lambda: panel.readout.isVisible() and rate.isVisible(), timeout=WAIT_MS)


def test_a_hidden_part_is_in_the_exported_picture(qtbot: QtBot, window: MainWindow) -> None:
    view = window.train_view
    window.resize(1280, 720)
    window.context.theme.set_zoom(150)
    optional_parts: dict[Panel, QWidget] = {
        view.attention_map: view.attention_map.readout,
        view.curves: view.curves.learning_rate,
    }
    for panel, part in optional_parts.items():
        wait_for(qtbot, lambda panel: panel.content.isVisible() and not panel.is_dirty, panel)
        qtbot.waitUntil(part.isHidden, timeout=WAIT_MS)
        size, canvas = panel.content.size(), view.attention_map.canvas.height()
        with panel.exporting():
            assert part.isVisible() and part.geometry().bottom() <= panel.content.height()
            assert view.attention_map.canvas.height() == canvas
        assert part.isHidden() and panel.content.size() == size


def test_on_a_projector_the_view_fits_beside_setup(qtbot: QtBot, window: MainWindow) -> None:
    view, scroll = window.train_view, child_of(window.train_view, QScrollArea)
    window.resize(1280, 720)
    window.rail.setup_button.click()
    for zoom in (100, 150):  # the loss panel's controls were laid out with another font before
        window.context.theme.set_zoom(zoom)
        qtbot.waitUntil(lambda: scroll.horizontalScrollBar().maximum() == 0, timeout=WAIT_MS)
        qtbot.waitUntil(lambda: not_none(scroll.widget()).width() == scroll.viewport().width(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: view.attention_map.canvas.width() < window.context.theme.px(240), timeout=WAIT_MS)
