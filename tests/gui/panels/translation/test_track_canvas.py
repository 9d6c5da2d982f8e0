"""Tracks wider than their space: the names stay visible, and so does the marked position."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.panels.translation.track_canvas import TrackCanvas, TrackScrollArea
from gui.panels.translation.track_layout import TrackLayout
from gui.sentences.output_position import OutputPosition
from gui.sentences.tracks import Track
from gui.theme import Theme
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none

TOKENS = tuple(f"token{position}" for position in range(40))


def test_the_first_difference_is_framed_and_its_number_red(qtbot: QtBot) -> None:
    theme = Theme("light")
    canvas = TrackCanvas(theme)
    qtbot.addWidget(canvas)
    fed, free = ("i", "want", "a", "beer"), ("i", "want", "cold", "beer")
    canvas.show_tracks((track("fed", fed), track("free", free)), "")
    canvas.resize(canvas.sizeHint())
    assert framed_positions(canvas, theme) == [2]
    canvas.show_tracks((track("fed", fed), track("free", fed[:3])), "")  # the shorter track ends
    assert framed_positions(canvas, theme) == [3]
    canvas.show_tracks((track("fed", fed), track("free", fed)), "")
    assert framed_positions(canvas, theme) == []


def test_the_marked_position_is_described_to_a_screen_reader(canvas: TrackCanvas) -> None:
    free = Track("free", ("a", "b"), (0.5, 0.001), ("a", "c"))
    canvas.show_tracks((track("fed", ("a", "b", "<eos>")), free), "They differ.")
    show(canvas, 1)
    described = "They differ. Place 2: fed, “b”, 0.50; free, “b”, <0.01, first choice “c”."
    assert canvas.accessibleDescription() == described
    show(canvas, 2)
    assert canvas.accessibleDescription() == "They differ. Place 3: fed, “<eos>”, 0.50."


def track(name: str, tokens: tuple[str, ...]) -> Track:
    return Track(name, tokens, (0.5,) * len(tokens), tokens)


def framed_positions(canvas: TrackCanvas, theme: Theme) -> list[int]:
    """The positions framed across both tracks; the number above is red as well."""
    image, layout = canvas.grab().toImage(), canvas._layout
    assert layout is not None
    framed = []
    for position in range(layout.num_positions):
        column, head = layout.compared_rect(position).toRect(), layout.number_rect(position).toRect()
        edge = {image.pixelColor(column.left() + 1, y).name() for y in range(column.top(), column.bottom())}
        number = [image.pixelColor(x, y) for x in range(head.left(), head.right()) for y in range(2, head.bottom() - 3)]
        is_red = any(colour.red() > colour.green() + 100 for colour in number)
        assert (theme.colours.bad in edge) == is_red
        framed += [position] if is_red else []
    return framed


@pytest.fixture
def canvas(qtbot: QtBot) -> Iterator[TrackCanvas]:
    """The canvas in an area with space for some of the tokens."""
    made, panel = TrackCanvas(Theme("light")), QWidget()
    area = TrackScrollArea(made, OutputPosition())
    area.setParent(panel)
    area.resize(500, 120)
    qtbot.addWidget(panel)
    panel.show()
    yield made


def area_of(canvas: TrackCanvas) -> TrackScrollArea:
    area = not_none(canvas.parentWidget()).parentWidget()
    assert isinstance(area, TrackScrollArea)
    return area


def show(canvas: TrackCanvas, position: int, *, is_chosen: bool = False) -> None:
    """Show a position, as a panel does after drawing the tracks or moving the position."""
    canvas.show_position(position, is_chosen=is_chosen)
    area_of(canvas).fit()


def seen(canvas: TrackCanvas) -> range:
    """The positions that are completely visible beside the names."""
    layout = not_none(canvas._layout)
    heads = [layout.number_rect(position).translated(canvas.x(), 0) for position in range(layout.num_positions)]
    left, right = canvas.names_width, area_of(canvas).viewport().width()
    visible = [position for position, head in enumerate(heads) if left <= head.left() and head.right() <= right]
    return range(visible[0], visible[-1] + 1)


def test_names_stay_in_place_when_long_tracks_are_scrolled(canvas: TrackCanvas, qtbot: QtBot) -> None:
    area = area_of(canvas)
    canvas.show_tracks(tuple(track(name, TOKENS) for name in ("fed", "free")), "")
    show(canvas, 0)
    qtbot.waitUntil(lambda: canvas.width() > area.width(), timeout=WAIT_MS)
    names = QRect(0, 20, canvas.names_width - 8, area.viewport().height() - 30)
    before = area.viewport().grab(names).toImage()
    show(canvas, 30)
    qtbot.waitUntil(lambda: canvas.x() < 0, timeout=WAIT_MS)
    assert area.viewport().grab(names).toImage() == before
    assert 30 in seen(canvas)


def test_the_first_difference_is_visible_until_a_position_is_chosen(canvas: TrackCanvas, qtbot: QtBot) -> None:
    def show_difference(position: int) -> None:
        other = (*TOKENS[:position], "other", *TOKENS[position + 1 :])
        canvas.show_tracks((track("fed", TOKENS), track("free", other)), "")

    show_difference(1)
    show(canvas, 39)
    qtbot.waitUntil(lambda: canvas.width() > area_of(canvas).width(), timeout=WAIT_MS)
    assert 1 in seen(canvas)
    show(canvas, 39, is_chosen=True)
    assert 39 in seen(canvas) and 1 not in seen(canvas)
    show_difference(2)  # the model learned on: the chosen position stays visible
    show(canvas, 39, is_chosen=True)
    assert 39 in seen(canvas)
    show(canvas, 39)  # another sentence
    assert 2 in seen(canvas)
    canvas.show_tracks((track("free", TOKENS),), "")  # a single track has no difference
    show(canvas, 39)
    assert 39 in seen(canvas)


def test_only_visible_tokens_are_painted_and_look_as_in_a_complete_painting(
    canvas: TrackCanvas, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas.show_tracks((track("fed", TOKENS), track("free", TOKENS), track("short", TOKENS[:33])), "")
    show(canvas, 30)
    qtbot.waitUntil(lambda: canvas.x() < 0, timeout=WAIT_MS)
    viewport, left = area_of(canvas).viewport(), canvas.names_width
    visible_area = QRect(left, 0, viewport.width() - left, canvas.height())
    complete = canvas.grab().toImage().copy(visible_area.translated(-canvas.x(), 0))
    painted, paint_token = list[int](), TrackCanvas._paint_token

    def noted(self: TrackCanvas, painter: QPainter, layout: TrackLayout, row: int, position: int) -> None:
        painted.append(position)
        paint_token(self, painter, layout, row, position)

    monkeypatch.setattr(TrackCanvas, "_paint_token", noted)
    visible_part = viewport.grab(visible_area).toImage()
    pixels = [(x, y) for x in range(complete.width()) for y in range(complete.height())]
    assert sum(visible_part.pixel(*pixel) != complete.pixel(*pixel) for pixel in pixels) < 10  # clipped letters
    assert set(seen(canvas)) <= set(painted) and len(set(painted)) < len(TOKENS) / 2
