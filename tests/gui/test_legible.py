"""No text is cut at any zoom in a window of 1280 x 720."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from core.answers.head_ablation import HeadId
from gui.heads.attention_comparison import Baseline
from gui.main_window import VIEWS, MainWindow
from gui.panel import Panel
from gui.view import View
from gui.widgets.scrolling_page import ScrollingPage
from tests.gui.conftest import WAIT_MS
from tests.gui.legible import cut_texts
from tests.gui.not_none import not_none

ZOOMS = (100, 125, 150, 200)


@pytest.fixture
def learned(qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]) -> MainWindow:
    """The window after ten steps with a validation, viewed at step 5."""
    window.context.workbench.edit("training.validate_every", 5)
    window.context.workbench.learn(10)
    wait_for_state("paused")
    window.context.playhead.view(5)
    return window


def wait_until_whole(window: MainWindow, qtbot: QtBot, scene: str) -> None:
    """Wait until everything visible is drawn and laid out and no text is cut."""
    panels = window.findChildren(Panel)
    qtbot.waitUntil(lambda: not any(one.is_dirty and one.isVisible() for one in panels), timeout=WAIT_MS)

    def nothing_is_cut() -> None:
        assert cut_texts(window) == [], scene

    qtbot.waitUntil(nothing_is_cut, timeout=WAIT_MS)


def scenes(window: MainWindow) -> Iterator[str]:
    """Show each view and each of its pages."""
    for index, view in enumerate(window.views):
        window.show_view(index)
        yield view.title
    train, attention, translate = window.train_view, window.attention_view, window.translate_view
    anatomy, runs = window.anatomy_view, window.runs_view
    window.show_view(VIEWS.index(type(train)))
    train.more_button.click()
    yield "what was learned"
    train.more_button.click()
    window.show_view(VIEWS.index(type(attention)))
    attention.more_button.click()
    attention.comparison.compare_with(Baseline(step=0))
    attention.disabled_heads.toggle(HeadId("cross", 0, 0))
    yield "compared and switched off"
    attention.more_button.click()
    attention.comparison.compare_with(None)
    attention.disabled_heads.enable_all()
    window.show_view(VIEWS.index(type(translate)))
    for number in (1, 2, 3, 0):
        translate.pages.show_page(number)
        yield f"Translate, page {number}"
    window.show_view(VIEWS.index(type(anatomy)))
    for row in range(anatomy.topics.count()):
        anatomy.topics.setCurrentRow(row)
        yield anatomy.topic.title
    window.show_view(VIEWS.index(type(runs)))
    runs.table.selectAll()
    for number in (1, 2, 0):
        runs.comparison_pages.show_page(number)
        yield f"Runs, page {number}"


def test_nothing_is_cut_at_any_zoom(qtbot: QtBot, learned: MainWindow) -> None:
    learned.resize(1280, 720)
    for zoom in ZOOMS:
        learned.context.theme.set_zoom(zoom)
        for scene in scenes(learned):
            wait_until_whole(learned, qtbot, f"{scene} at {zoom} %")


def test_setup_is_whole_beside_every_view_at_any_zoom(qtbot: QtBot, learned: MainWindow) -> None:
    """At 100 and 150 %, no text is cut in it and in the view beside it, the one to begin with."""
    learned.resize(1280, 720)
    learned.rail.setup_button.click()
    drawer = learned.setup_drawer

    def is_whole() -> bool:
        return drawer.width() == drawer.maximumWidth() and drawer.geometry().right() < learned.pages.x()

    for zoom in ZOOMS:
        learned.context.theme.set_zoom(zoom)
        for index in reversed(range(len(VIEWS))):
            learned.show_view(index)
            qtbot.waitUntil(is_whole, timeout=WAIT_MS)
        if zoom in (100, 150):
            wait_until_whole(learned, qtbot, f"Setup at {zoom} %")


def test_the_smallest_window_scrolls_to_every_button_beside_setup(qtbot: QtBot, learned: MainWindow) -> None:
    learned.resize(learned.minimumSize())
    learned.rail.setup_button.click()
    drawer = learned.setup_drawer
    for zoom in (150, 200):
        learned.context.theme.set_zoom(zoom)
        for view in (learned.data_view, learned.plugins_view):
            learned.show_view(VIEWS.index(type(view)))

            def is_whole(view: View = view) -> bool:
                controls = {not_none(one.parentWidget()) for one in view.findChildren(QPushButton) if one.isVisible()}
                return drawer.geometry().right() < learned.pages.x() and not any(map(cut_texts, controls))

            qtbot.waitUntil(is_whole, timeout=WAIT_MS)


def test_data_and_anatomy_keep_a_readable_width_beside_setup(qtbot: QtBot, learned: MainWindow) -> None:
    learned.resize(1280, 720)
    learned.context.theme.set_zoom(200)
    learned.rail.setup_button.click()
    data, anatomy = learned.data_view, learned.anatomy_view
    for view in (anatomy, data):
        learned.show_view(VIEWS.index(type(view)))
        qtbot.wait(20)
    widest = data.fontMetrics().horizontalAdvance("sentence")
    qtbot.waitUntil(lambda: data.table.columnWidth(1) > widest < data.table.columnWidth(2), timeout=WAIT_MS)
    assert data.table.width() < learned.pages.width()  # all of it can be seen at once
    assert anatomy.pages.width() > 3 * widest


def test_views_scroll_only_when_zoom_needs_it_and_never_sideways(qtbot: QtBot, learned: MainWindow) -> None:
    learned.resize(1280, 720)
    views = (learned.train_view, learned.attention_view, learned.translate_view, learned.runs_view)

    def wait_until_it_scrolls(page: ScrollingPage, expected: bool, message: str) -> None:
        def scrolls_as_it_should() -> None:
            assert page.horizontalScrollBar().maximum() == 0, message
            assert (page.verticalScrollBar().maximum() > 0) == expected, message

        qtbot.waitUntil(scrolls_as_it_should, timeout=WAIT_MS)

    for zoom, scrolls in ((100, False), (200, True)):
        learned.context.theme.set_zoom(zoom)
        for view in views:
            learned.show_view(VIEWS.index(type(view)))
            (page,) = view.findChildren(ScrollingPage)
            wait_until_it_scrolls(page, scrolls, f"{view.title} at {zoom} %")


def test_the_tree_of_a_beam_fits_without_scrolling(qtbot: QtBot, learned: MainWindow) -> None:
    view, beam = learned.translate_view, learned.translate_view.beam
    learned.show_view(VIEWS.index(type(view)))
    view.pages.show_page(2)
    for size in (10, 4):  # the first tree is as high as it gets, the second leaves room for its outputs
        beam.size_spin.setValue(size)

        def is_searched(size: int = size) -> bool:
            return beam.query.answer is not None and beam.query.answer.beam_size == size

        qtbot.waitUntil(is_searched, timeout=WAIT_MS)
    for mode in ("dark", "light"):
        learned.context.theme.set_mode(mode)
    wait_until_whole(learned, qtbot, "Beam search")
    (page,) = view.findChildren(ScrollingPage)
    qtbot.waitUntil(lambda: page.verticalScrollBar().maximum() == 0, timeout=WAIT_MS)


def test_the_rail_omits_icons_when_titles_need_the_space(qtbot: QtBot, window: MainWindow) -> None:
    style = Qt.ToolButtonStyle
    for zoom, expected in ((150, style.ToolButtonTextUnderIcon), (200, style.ToolButtonTextOnly)):
        window.context.theme.set_zoom(zoom)
        assert window.rail.setup_button.toolButtonStyle() == expected
        assert window.rail.sizeHint().height() <= window.rail.height()
