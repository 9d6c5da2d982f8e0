"""Tracks that are longer than there is room: their names stay, and the marked place is seen beside them."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.panels.translation.track_canvas import TrackArea, TrackCanvas
from gui.sentences.tracks import Track
from gui.theme import Theme


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
    qtbot.waitUntil(lambda: canvas.width() > area.width())
    names = QRect(0, 20, canvas.width_of_names - 8, area.viewport().height() - 30)
    before = area.viewport().grab(names).toImage()
    canvas.show_place(30)
    area.fit()
    qtbot.waitUntil(lambda: canvas.x() < 0)
    assert area.viewport().grab(names).toImage() == before
    assert canvas.width_of_names < canvas.marked().left() + canvas.x() < area.viewport().width()
