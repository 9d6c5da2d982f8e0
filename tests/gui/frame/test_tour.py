"""The tour in the real window: by mouse and by keyboard, skipped, and never in the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gui.frame.tour import Tour, position_beside
from gui.main_window import MainWindow
from gui.panel import Panel
from gui.widgets.scrolling_page import ScrollingPage
from tests.gui.conftest import WAIT_MS


@pytest.fixture
def tour(qtbot: QtBot, window: MainWindow) -> Tour:
    """The tour at its first step."""
    window.activateWindow()
    window.tour.start()
    qtbot.waitUntil(window.tour.hasFocus, timeout=WAIT_MS)
    return window.tour


def rect_of(widget: QWidget, window: MainWindow) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


def test_the_mouse_goes_through_five_steps_and_help_opens_the_tour_again(
    qtbot: QtBot, tour: Tour, window: MainWindow
) -> None:
    titles = [tour.title_label.text()]
    assert not tour.back_button.isEnabled() and "first" in tour.back_button.toolTip()
    while not tour.is_last:
        qtbot.mouseClick(tour.next_button, Qt.MouseButton.LeftButton)
        titles.append(tour.title_label.text())
    assert len(set(titles)) == 5
    assert tour.next_button.text() == "Done" and tour.skip_button.isHidden()
    qtbot.mouseClick(tour.back_button, Qt.MouseButton.LeftButton)
    assert tour.title_label.text() == titles[3] and tour.accessibleName() == f"Tour, 4 of 5: {titles[3]}"
    tour.go_forward()
    qtbot.mouseClick(tour.next_button, Qt.MouseButton.LeftButton)
    assert not tour.isVisible() and not tour.outline.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_F1)
    qtbot.mouseClick(window.help_sheet.tour_button, Qt.MouseButton.LeftButton)
    assert not window.help_sheet.isVisible()
    assert tour.isVisible() and tour.count_label.text() == "Tour · 1 of 5"
    qtbot.mouseClick(tour.skip_button, Qt.MouseButton.LeftButton)
    assert not tour.isVisible()


def test_it_works_while_the_first_model_is_prepared(qtbot: QtBot, empty_window: MainWindow, small_file: Path) -> None:
    """As at the first start, when PySide once dropped its wrapper of a watched viewport."""
    tour, bridge = empty_window.tour, empty_window.context.bridge
    tour.start()
    empty_window.setup_drawer.open_file(small_file)
    qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
    for _ in range(5):
        tour.go_forward()
    assert not tour.isVisible()


def test_it_works_with_the_keyboard_alone(qtbot: QtBot, tour: Tour, window: MainWindow) -> None:
    titles = []
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Enter):
        qtbot.keyClick(QApplication.focusWidget(), key)
        titles.append(tour.count_label.text())
    assert titles == [f"Tour · {number} of 5" for number in (2, 3, 2, 3)]
    for _ in range(2):  # from Skip to Back
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    assert tour.count_label.text() == "Tour · 2 of 5"
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not tour.isVisible() and window.focusWidget() is window


def test_back_on_the_first_step_leaves_space_to_learn(qtbot: QtBot, tour: Tour, window: MainWindow) -> None:
    tour.go_forward()
    tour.back_button.setFocus()
    qtbot.keyClick(tour.back_button, Qt.Key.Key_Return)
    assert tour.count_label.text() == "Tour · 1 of 5" and window.focusWidget() is tour


def test_space_and_the_learn_button_work_during_the_tour(
    qtbot: QtBot, tour: Tour, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    qtbot.mouseClick(tour.next_button, Qt.MouseButton.LeftButton)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
    wait_for_state("finished")
    assert tour.count_label.text() == "Tour · 2 of 5" and tour.isVisible()
    while not tour.is_last:
        tour.go_forward()
    learn = window.transport.learn_button
    assert window.childAt(learn.mapTo(window, learn.rect().center())) is learn  # nothing covers it
    qtbot.mouseClick(learn, Qt.MouseButton.LeftButton)
    assert not tour.isVisible()


def test_a_field_keeps_its_focus_when_the_tour_ends(qtbot: QtBot, tour: Tour, window: MainWindow) -> None:
    window.transport.seed_edit.setFocus()
    tour.end()
    assert window.focusWidget() is window.transport.seed_edit


def test_it_outlines_its_part_and_stays_in_the_window(qtbot: QtBot, tour: Tour, window: MainWindow) -> None:
    for size, zoom in ((QSize(1280, 720), 100), (QSize(960, 600), 80), (QSize(960, 600), 200)):
        window.resize(size)
        window.context.theme.set_zoom(zoom)
        tour.start()
        while tour.isVisible():
            qtbot.waitUntil(lambda: window.rect().contains(rect_of(tour, window)), timeout=WAIT_MS)
            part = rect_of(tour.step.parts[-1], window) & window.rect()
            if window.pages.isAncestorOf(tour.step.parts[-1]):
                (page,) = window.train_view.findChildren(ScrollingPage)
                part &= rect_of(page.viewport(), window)  # the view scrolls inside it
            line = tour.outline.mask()
            assert line.boundingRect().contains(part) and not line.contains(part.center())
            assert not rect_of(tour, window).intersects(rect_of(window.transport, window))
            tour.go_forward()


def test_it_follows_its_part_when_setup_opens(qtbot: QtBot, tour: Tour, window: MainWindow) -> None:
    panels = window.findChildren(Panel)  # they change their size as they are drawn
    qtbot.waitUntil(lambda: not any(one.is_dirty and one.isVisible() for one in panels), timeout=WAIT_MS)
    before, card = tour.outline.mask().boundingRect(), rect_of(tour, window)
    window.rail.setup_button.click()
    qtbot.waitUntil(lambda: tour.outline.mask().boundingRect().left() > before.left() + 300, timeout=WAIT_MS)
    assert rect_of(tour, window) != card
    window.rail.setup_button.click()
    qtbot.waitUntil(lambda: tour.outline.mask().boundingRect() == before, timeout=WAIT_MS)


def test_the_next_step_opens_the_view_of_its_parts(tour: Tour, window: MainWindow) -> None:
    window.show_view(2)
    assert tour.isVisible() and not tour.outline.isVisible()
    tour.go_forward()
    assert tour.outline.isVisible() and window.pages.currentIndex() == 0
    window.train_view.more_button.setChecked(True)
    tour.start()
    tour.go_forward()
    assert tour.title_label.text() == "All heads at once" and window.train_view.head_grid.isVisible()


def test_the_card_covers_none_of_the_parts() -> None:
    window_rect, card = QRect(0, 0, 1000, 600), QSize(300, 200)
    assert position_beside([QRect(0, 0, 400, 300)], card, window_rect).x() > 400
    assert position_beside([QRect(600, 0, 400, 300)], card, window_rect).x() + 300 < 600
    assert position_beside([QRect(0, 0, 1000, 100)], card, window_rect).y() > 100
    assert position_beside([QRect(0, 300, 1000, 300)], card, window_rect).y() + 200 < 300
    assert window_rect.contains(QRect(position_beside([window_rect], card, window_rect), card))


def test_a_card_without_room_covers_as_little_as_possible() -> None:
    window_rect, card, heads = QRect(0, 0, 1000, 600), QSize(640, 300), QRect(600, 100, 400, 500)  # as at 200 %
    covered = QRect(position_beside([heads], card, window_rect), card) & heads
    assert covered.width() < 50


def test_no_outline_remains_of_an_earlier_step(qtbot: QtBot, window: MainWindow) -> None:
    """The screen shows what the window would paint in a complete repaint."""
    assert not window.tour.isVisible() and not window.tour.outline.isVisible()
    line = window.context.theme.colour("training").rgb()

    def num_outlined(picture: QPixmap) -> int:
        pixels = picture.toImage().convertToFormat(QImage.Format.Format_RGB32)
        return int((np.frombuffer(pixels.constBits(), np.uint32) == line).sum())

    def is_as_painted_whole() -> bool:
        return num_outlined(window.screen().grabWindow(window.winId())) == num_outlined(window.grab())

    window.tour.start()
    qtbot.waitUntil(is_as_painted_whole, timeout=WAIT_MS)
    while not window.tour.is_last:
        window.tour.go_forward()
        qtbot.waitUntil(is_as_painted_whole, timeout=WAIT_MS)
    window.tour.end()
    qtbot.waitUntil(is_as_painted_whole, timeout=WAIT_MS)


def test_the_cards_of_all_steps_are_equally_large_from_the_first_moment(
    qtbot: QtBot, tour: Tour, window: MainWindow
) -> None:
    for zoom in (100, 200):
        window.context.theme.set_zoom(zoom)
        tour.start()
        qtbot.waitUntil(lambda: tour.size() == tour.sizeHint(), timeout=WAIT_MS)
        size = tour.size()
        while not tour.is_last:
            tour.go_forward()
            assert tour.size() == size == tour.sizeHint(), tour.step.title
            assert tour.text_label.heightForWidth(tour.text_label.width()) <= tour.text_label.height(), tour.step.title
