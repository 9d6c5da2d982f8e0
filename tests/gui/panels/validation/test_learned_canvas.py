"""How a token is drawn that was learned early, late, forgotten again, or never."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.analysis.learned_when import NEVER, TokenTimes
from core.events import ValidatedSentence
from gui.colours import Mode
from gui.panels.validation.learned_canvas import LearnedCanvas, LearnedSentence
from gui.pictures.colour_map import attention_table
from gui.theme import Theme

Stage = Callable[[QWidget, int, int], None]
TOKENS = ("early", "late", "forgotten", "never")
TIMES = TokenTimes(
    right_since=np.array([100, 300, NEVER, NEVER]),
    forgotten_at=np.array([NEVER, NEVER, 200, NEVER]),
    times_forgotten=np.array([0, 0, 1, 0]),
)


@pytest.fixture
def canvas(stage: Stage, theme: Theme) -> LearnedCanvas:
    """One sentence after three validations."""
    made = LearnedCanvas(theme)
    stage(made, 500, 100)
    validated = ValidatedSentence(
        source="a", reference="b", hypothesis="c", tokens=TOKENS, probability=(0.5,) * 4, rank=(0, 0, 1, 1)
    )
    made.show_sentences([LearnedSentence(index=0, validated=validated, first=0, times=TIMES)], [100, 200, 300], [])
    return made


def background(canvas: LearnedCanvas, image: QImage, column: int) -> QColor:
    """The colour in a corner of a cell, inside any frame and beside the text."""
    cell = canvas.cell(0, column).toRect()
    return image.pixelColor(cell.left() + 5, cell.top() + 5)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_colour_is_stronger_the_longer_a_token_has_been_right(
    canvas: LearnedCanvas, theme: Theme, mode: Mode
) -> None:
    theme.set_mode(mode)
    image, table = canvas.grab().toImage(), attention_table(mode)
    early, late, forgotten, never = (background(canvas, image, column) for column in range(4))
    assert early == QColor.fromRgb(int(table[204])) and late == QColor.fromRgb(int(table[46]))  # 0.8 and 0.18
    assert forgotten == never == theme.colour("surface")
    assert abs(early.lightness() - never.lightness()) > abs(late.lightness() - never.lightness()) > 10


def test_only_forgotten_tokens_are_framed(canvas: LearnedCanvas, theme: Theme) -> None:
    image = canvas.grab().toImage()
    framed = []
    for column in range(4):
        cell = canvas.cell(0, column).toRect()
        top = QRect(cell.left(), cell.top(), cell.width(), 4)
        seen = {
            image.pixelColor(x, y).name()
            for x in range(top.left(), top.right())
            for y in range(top.top(), top.bottom())
        }
        framed.append(theme.colours.validation in seen)
    assert framed == [False, False, True, False]


def readouts_of(canvas: LearnedCanvas, qtbot: QtBot) -> list[str]:
    """The readouts of the four tokens, reached with the arrow keys; the first token's first."""
    readouts = []
    for _ in TOKENS:
        qtbot.keyClick(canvas, Qt.Key.Key_Right)
        readouts.append(canvas.accessibleDescription().partition(": ")[2].partition(".")[0])
    return readouts[-1:] + readouts[:-1]


def test_pointing_beside_the_tokens_clears_the_readout(canvas: LearnedCanvas, qtbot: QtBot) -> None:
    middle = canvas.cell(0, 0).center()
    qtbot.mouseMove(canvas, middle.toPoint())
    assert canvas.accessibleDescription().startswith("“early”")
    for x in (-5.0, canvas.cell(0, 3).right() + 5):  # a held button tracks the mouse outside as well
        place = QPointF(x, middle.y())
        button = Qt.MouseButton.LeftButton
        move = QMouseEvent(
            QEvent.Type.MouseMove, place, canvas.mapToGlobal(place), button, button, Qt.KeyboardModifier.NoModifier
        )
        QApplication.sendEvent(canvas, move)
        assert canvas.accessibleDescription() == ""


def test_between_missing_validations_a_range_of_steps_is_given(canvas: LearnedCanvas, qtbot: QtBot) -> None:
    legend = canvas.legend()
    assert readouts_of(canvas, qtbot) == [
        "right since step 100",
        "right since step 300",
        "forgotten at step 200",
        "not right yet",
    ]
    canvas.show_sentences(canvas._sentences, [100, 200, 300], [120, 150])
    gaps = "Some validations are not kept or not readable: a token changed somewhere between two that are."
    assert canvas.legend() == f"{legend} {gaps}"
    assert readouts_of(canvas, qtbot) == [
        "right since step 100",
        "right since step 300",
        "forgotten between step 100 and 200",
        "not right yet",
    ]
    canvas.show_sentences(canvas._sentences, [100, 200, 300], [50, 250])
    assert readouts_of(canvas, qtbot)[:2] == [
        "became right between step 0 and 100",
        "became right between step 200 and 300",
    ]


def test_a_sentence_that_does_not_fit_wraps_to_an_indented_line(canvas: LearnedCanvas, qtbot: QtBot) -> None:
    metrics, cells = canvas.fontMetrics(), [canvas.cell(0, column) for column in range(4)]
    assert len({cell.top() for cell in cells}) == 1
    canvas.setFixedWidth(150)
    qtbot.waitUntil(lambda: canvas.width() == 150)
    cells = [canvas.cell(0, column) for column in range(4)]
    assert len({cell.top() for cell in cells}) == 2 and canvas.minimumHeight() == cells[-1].bottom()
    assert cells[-1].left() > cells[0].left(), "the indent shows that this is no new sentence"
    for token, cell in zip(TOKENS, cells, strict=True):
        assert metrics.horizontalAdvance(token) < cell.width() and cell.right() <= canvas.width()
        point_at(canvas, cell.center())
        assert canvas.accessibleDescription().startswith(f"“{token}”")
    point_at(canvas, QPointF(3, cells[-1].center().y()))
    assert canvas.accessibleDescription() == "", "the indent is no token"
    assert canvas.unwrapped_size().height() == cells[0].height(), "an exported picture does not wrap"


def point_at(canvas: LearnedCanvas, place: QPointF) -> None:
    no_button, no_key = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    move = QMouseEvent(QEvent.Type.MouseMove, place, canvas.mapToGlobal(place), no_button, no_button, no_key)
    QApplication.sendEvent(canvas, move)
