"""Tracks that are longer than there is room: their names stay, and the marked place is seen beside them."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.panels.translation.track_canvas import TrackArea, TrackCanvas
from gui.sentences.tracks import Track
from gui.theme import Theme
from tests.gui.conftest import WAIT_MS


def test_the_first_difference_is_framed_and_named(qtbot: QtBot) -> None:
    theme = Theme("light")
    canvas = TrackCanvas(theme)
    qtbot.addWidget(canvas)
    fed, free = ("i", "want", "a", "beer"), ("i", "want", "cold", "beer")
    canvas.show_tracks((track("fed", fed), track("free", free)), "")
    canvas.resize(canvas.sizeHint())
    assert places_framed(canvas, theme) == [2]
    canvas.show_tracks((track("fed", fed), track("free", fed[:3])), "")  # the shorter one ends
    assert places_framed(canvas, theme) == [3]
    canvas.show_tracks((track("fed", fed), track("free", fed)), "")
    assert places_framed(canvas, theme) == []


def track(name: str, tokens: tuple[str, ...]) -> Track:
    return Track(name, tokens, (0.5,) * len(tokens), tokens)


def places_framed(canvas: TrackCanvas, theme: Theme) -> list[int]:
    """Where the frame's colour is on the left edge through both tracks, and in the number above."""
    image, layout = canvas.grab().toImage(), canvas._layout
    assert layout is not None
    framed = []
    for place in range(layout.num_places):
        column, head = layout.first_two(place).toRect(), layout.head(place).toRect()
        edge = {image.pixelColor(column.left() + 1, y).name() for y in range(column.top(), column.bottom())}
        number = [image.pixelColor(x, y) for x in range(head.left(), head.right()) for y in range(2, head.bottom() - 3)]
        is_red = any(colour.red() > colour.green() + 100 for colour in number)
        assert (theme.colours.bad in edge) == is_red
        framed += [place] if is_red else []
    return framed


def test_names_stay_where_long_tracks_are_scrolled(qtbot: QtBot) -> None:
    tokens = tuple(f"token{place}" for place in range(40))
    canvas = TrackCanvas(Theme("light"))
    area, panel = TrackArea(canvas), QWidget()
    area.setParent(panel)
    area.resize(500, 120)
    qtbot.addWidget(panel)
    panel.show()
    canvas.show_tracks(tuple(Track(name, tokens, (0.5,) * 40, tokens) for name in ("fed", "free")), "")
    area.fit()
    qtbot.waitUntil(lambda: canvas.width() > area.width(), timeout=WAIT_MS)
    names = QRect(0, 20, canvas.width_of_names - 8, area.viewport().height() - 30)
    before = area.viewport().grab(names).toImage()
    canvas.show_place(30)
    area.fit()
    qtbot.waitUntil(lambda: canvas.x() < 0, timeout=WAIT_MS)
    assert area.viewport().grab(names).toImage() == before
    assert canvas.width_of_names < canvas.marked().left() + canvas.x() < area.viewport().width()
