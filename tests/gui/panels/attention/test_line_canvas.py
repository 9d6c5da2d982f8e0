"""A head drawn as lines: their opacity is the weight, and pointing at a token leaves only its lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from core.history import History
from gui.heads.head_picture import DIVERGED, HeadPicture
from gui.panels.attention.attention_map import AttentionMap
from gui.panels.attention.line_canvas import LineCanvas
from gui.sentences.selection import Selection
from gui.theme import Theme

Stage = Callable[[QWidget, int, int], None]
WEIGHTS = np.array([[0.75, 0.24, 0.01], [0.0, 0.0, 1.0]], dtype=np.float16)
PICTURE = HeadPicture(WEIGHTS, ("<bos> → i", "i → want"), ("ich", "will", "<eos>"), is_causal=False)


@pytest.fixture
def canvas(stage: Stage, theme: Theme) -> LineCanvas:
    """Two tokens that read from three."""
    made = LineCanvas(theme)
    stage(made, 600, 400)
    made.show_picture(PICTURE)
    return made


def colour_between(canvas: LineCanvas, row: int, column: int, *, share: float = 0.4) -> QColor:
    """The colour on the line between a reading token and the one that it reads."""
    layout = canvas._layout(PICTURE)
    start, end = layout.end("below", row), layout.end("above", column)
    return canvas.grab().toImage().pixelColor((start + (end - start) * share).toPoint())


def rgb(colour: QColor) -> list[int]:
    return [colour.red(), colour.green(), colour.blue()]


def blended(over: QColor, under: QColor, strength: float) -> list[float]:
    """Red, green and blue of a colour blended over another with this opacity."""
    return [strength * a + (1 - strength) * b for a, b in zip(rgb(over), rgb(under), strict=True)]


def test_the_opacity_of_a_line_is_its_weight(canvas: LineCanvas, theme: Theme) -> None:
    line, background = theme.colour("training"), canvas.grab().toImage().pixelColor(2, 200)
    for row, column in ((0, 0), (1, 2)):
        seen = rgb(colour_between(canvas, row, column))
        assert seen == pytest.approx(blended(line, background, float(WEIGHTS[row, column])), abs=2)
    assert colour_between(canvas, 0, 2, share=0.5) == background  # too weak to be drawn
    canvas.show_picture(PICTURE, square_root=True)
    assert rgb(colour_between(canvas, 0, 0)) == pytest.approx(blended(line, background, 0.75**0.5), abs=2)


def test_pointing_at_a_token_shows_and_reads_out_only_its_lines(canvas: LineCanvas, qtbot: QtBot) -> None:
    surface = canvas.grab().toImage().pixelColor(2, 200)
    layout = canvas._layout(PICTURE)
    qtbot.mouseMove(canvas, layout.label("below", 0).center().toPoint())
    assert canvas.readout() == "<bos> → i  reads from  ich 0.75,  will 0.24,  <eos> 0.01"
    assert canvas.accessibleDescription() == canvas.readout()
    assert colour_between(canvas, 0, 0) != surface and colour_between(canvas, 1, 2) == surface
    qtbot.mouseMove(canvas, layout.label("above", 2).center().toPoint())
    assert canvas.readout() == "<eos>  is read by  i → want 1.00,  <bos> → i 0.01"
    assert colour_between(canvas, 0, 0) == surface and colour_between(canvas, 1, 2) != surface


def test_arrow_keys_move_between_tokens(canvas: LineCanvas, qtbot: QtBot) -> None:
    readouts = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Left, Qt.Key.Key_Down):
        qtbot.keyClick(canvas, key)
        readouts.append(canvas.readout().split("  ")[0])
    assert readouts == ["<bos> → i", "i → want", "<bos> → i", "ich", "<eos>", "<bos> → i"]


def test_a_smaller_head_clears_the_readout_of_a_token_it_lacks(canvas: LineCanvas, qtbot: QtBot) -> None:
    qtbot.mouseMove(canvas, canvas._layout(PICTURE).label("above", 2).center().toPoint())
    canvas.show_picture(HeadPicture(WEIGHTS[:, :2], PICTURE.rows, PICTURE.columns[:2], is_causal=False))
    assert canvas.readout() == ""


def test_nothing_is_read_out_of_a_diverged_head_but_why_it_is_blank(canvas: LineCanvas, qtbot: QtBot) -> None:
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert canvas.readout() != ""
    canvas.show_picture(replace(PICTURE, weights=np.full_like(WEIGHTS, np.nan)))
    assert canvas.readout() == "" and canvas.caption().endswith(DIVERGED)


def test_each_token_is_measured_once_however_many_lines_it_has(
    canvas: LineCanvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[str] = []

    class Counting(QFontMetricsF):
        def horizontalAdvance(self, text: str) -> float:  # type: ignore[override]
            measured.append(text)
            return super().horizontalAdvance(text)

    monkeypatch.setattr("gui.panels.attention.line_layout.QFontMetricsF", Counting)
    tokens = tuple(map(str, range(30)))
    canvas.show_picture(HeadPicture(np.full((30, 30), 1 / 30), tokens, tokens, is_causal=False))
    canvas.grab()
    assert measured and len(measured) <= 2 * len(tokens) * 2  # upright and rotated, on both sides


def test_the_panel_switches_to_lines_and_explains_them(stage: Stage, theme: Theme, history: History) -> None:
    selection = Selection()
    panel = AttentionMap(theme, selection)
    stage(panel, 700, 420)
    panel.show_step(history, 300)
    assert panel.canvas.isVisible() and not panel.lines.isVisible()
    selection.choose(as_lines=True)
    panel.show_step(history, 300)
    assert panel.lines.isVisible() and not panel.canvas.isVisible()
    assert panel.lines.legend() in [label.text() for label in panel.findChildren(QLabel)]


def test_differences_have_colours_signs_and_dotted_lines(canvas: LineCanvas, theme: Theme, qtbot: QtBot) -> None:
    background = canvas.grab().toImage().pixelColor(2, 200)
    differences = np.array([[0.75, -0.5, 0.0], [0.0, 0.0, 1.0]], dtype=np.float32)
    canvas.show_picture(replace(PICTURE, weights=differences, baseline="step 3"))
    seen = rgb(colour_between(canvas, 0, 0))
    assert seen == pytest.approx(blended(theme.colour("validation"), background, 0.75), abs=2)
    along = {colour_between(canvas, 0, 1, share=share / 200).name() for share in range(60, 120)}
    assert background.name() in along and len(along) > 1  # dotted
    assert canvas.legend().endswith("Orange: more than step 3; blue: less.")
    canvas.show_picture(replace(PICTURE, weights=differences, baseline="step 3", alignment=((1, 0),)))
    along = {colour_between(canvas, 1, 0, share=share / 200).name() for share in range(60, 120)}
    assert theme.colours.muted in along and theme.colours.validation not in along
    assert canvas.legend().endswith("Orange: more than step 3; blue: less. Dashed: the dataset's alignment.")
    qtbot.mouseMove(canvas, canvas._layout(PICTURE).label("below", 0).center().toPoint())
    assert canvas.readout() == "<bos> → i  reads from  ich +0.75,  will -0.50,  <eos> +0.00  against step 3"


def test_only_as_many_of_many_tokens_are_labelled_as_fit(canvas: LineCanvas) -> None:
    tokens = tuple(f"token{index}" for index in range(60))
    picture = HeadPicture(np.eye(60, dtype=np.float16), tokens, tokens, is_causal=False)
    layout = canvas._layout(picture)
    places = layout.labelled_indices("below")
    distance = layout.end("below", places[1]).x() - layout.end("below", places[0]).x()
    assert distance >= 0.9 * QFontMetricsF(layout.font).height()
    assert len(canvas._layout(PICTURE).labelled_indices("above")) == 3  # all of them, if they fit side by side
