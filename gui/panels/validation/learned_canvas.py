"""Paints sentences token by token: the longer a token has been right, the stronger; forgotten ones are framed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from core.analysis.learned_when import NEVER, TokenTimes
from core.events import ValidatedSentence
from gui.arrow_keys import ARROWS
from gui.colours import readable_on
from gui.pictures.colour_map import attention_table
from gui.sentences.tokens import isolated, quoted
from gui.theme import GRID, Theme

_ROW = 22  # pixels at 100 %
_ROOM = 1.5 * GRID  # around the text of a token
_INDENT = 2 * GRID  # of the lines of a sentence after its first
_GAPS = " Some validations are not kept or not readable: a token changed somewhere between two that are."
_PALEST, _DARKEST = 0.18, 0.8  # the part of the colour map used: every step is visible, and text is readable on it


@dataclass(frozen=True, eq=False)
class LearnedSentence:
    """One sentence of a validation, and when its tokens became right or were forgotten."""

    index: int  # in the validation, from 0
    validated: ValidatedSentence
    first: int  # index of its first token in `times`
    times: TokenTimes

    @property
    def tokens(self) -> tuple[str, ...]:
        return self.validated.tokens

    def right_since(self, column: int) -> int:
        """The step of the validation since which a token is right; NEVER if it is wrong."""
        return int(self.times.right_since[self.first + column])

    def forgotten_at(self, column: int) -> int:
        """The step of the validation at which a token was forgotten; NEVER if it is right, or never was."""
        return int(self.times.forgotten_at[self.first + column])

    def times_forgotten(self, column: int) -> int:
        """How often a token went from right to wrong."""
        return int(self.times.times_forgotten[self.first + column])


class _CanvasLine(NamedTuple):
    """What stands side by side of a sentence."""

    row: int  # the sentence
    first: int  # its token
    edges: list[float]  # where the tokens begin, and the last ends


class LearnedCanvas(QWidget):
    """Wraps a sentence that is wider than the canvas.

    Emits `pointed` with a description of the token that the mouse or an arrow key points at; empty if none.
    """

    pointed = Signal(str)
    moved_by_key = Signal(int)  # by an arrow key: the y coordinate of the token, in pixels

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._sentences: Sequence[LearnedSentence] = ()
        self._lines: list[_CanvasLine] = []
        self._steps: Sequence[int] = ()
        self._missing: Sequence[int] = ()  # validations whose sentences are not kept, or not readable
        self._cell: tuple[int, int] | None = None
        self._widths: dict[str, float] = {}  # of tokens painted so far
        self._colours: dict[int, tuple[QColor, QColor]] = {}  # right since this step -> colours of ground and text
        self._metrics = QFontMetricsF(self.font())
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Tokens of the validation; arrow keys say when each was learned")
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(200), len(self._lines) * self._row)

    def unwrapped_size(self) -> QSize:
        """The size at which each sentence is one line."""
        widest = max((sum(map(self._width_of, one.tokens)) for one in self._sentences), default=0.0)
        return QSize(ceil(widest) + 1, len(self._sentences) * self._row)

    def show_sentences(
        self, sentences: Sequence[LearnedSentence], steps: Sequence[int], missing: Sequence[int]
    ) -> None:
        """Paint these sentences. `steps` are the known validations (at least one), `missing` the others."""
        self._sentences, self._steps, self._missing = sentences, steps, missing
        self._colours.clear()
        self._cell = None
        self._fit()

    def legend(self) -> str:
        """How to read the map."""
        if not self._steps:
            return ""
        return (
            f"Strong: right since step {self._steps[0]:,}; the fainter, the later, up to {self._steps[-1]:,}. "
            "Framed: forgotten. Plain: not right yet. Teacher-forced." + (_GAPS if self._missing else "")
        )

    def known_before(self, step: int) -> int:
        """The step of the last known validation before `step`; 0, where learning begins, if there is none."""
        earlier = self._steps[: bisect_left(self._steps, step)]
        return earlier[-1] if earlier else 0

    def cell(self, row: int, column: int) -> QRectF:
        """The rectangle of a token."""
        number = next(number for number, line in enumerate(self._lines) if self._contains(line, row, column))
        return self._cells(number)[column - self._lines[number].first]

    @property
    def _row(self) -> int:
        return self._theme.px(_ROW)

    def _apply_theme(self) -> None:
        self.setFont(self._theme.token_font(0.95))
        self._metrics = QFontMetricsF(self.font())
        self._widths.clear()
        self._colours.clear()
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self._lines = [line for row in range(len(self._sentences)) for line in self._wrapped(row)]
        self.setMinimumHeight(self.minimumSizeHint().height())
        self.update()

    def _wrapped(self, row: int) -> Iterator[_CanvasLine]:
        """The lines of a sentence: each token as wide as its text, but never wider than a line."""
        room = self.width() - 1.0
        first, edges = 0, [0.0]
        for column, token in enumerate(self._sentences[row].tokens):
            width = self._width_of(token)
            if edges[-1] + width > room and column > first:
                yield _CanvasLine(row, first, edges)
                first, edges = column, [float(_INDENT)]
            edges.append(min(edges[-1] + width, room))
        yield _CanvasLine(row, first, edges)

    def _cells(self, number: int) -> list[QRectF]:
        """Where the tokens of this line are painted."""
        top, height = number * self._row, self._row
        return [QRectF(left, top, right - left, height) for left, right in pairwise(self._lines[number].edges)]

    def _contains(self, line: _CanvasLine, row: int, column: int) -> bool:
        return line.row == row and 0 <= column - line.first < len(line.edges) - 1

    def _width_of(self, token: str) -> float:
        if token not in self._widths:
            self._widths[token] = self._metrics.horizontalAdvance(token) + _ROOM
        return self._widths[token]

    def paintEvent(self, event: QPaintEvent) -> None:
        first = event.rect().top() // self._row
        last = min(event.rect().bottom() // self._row + 1, len(self._lines))
        with QPainter(self) as painter:
            for number in range(first, last):
                line = self._lines[number]
                for column, cell in enumerate(self._cells(number), line.first):
                    self._paint_token(painter, line.row, column, cell.adjusted(1, 1, -1, -1))

    def _paint_token(self, painter: QPainter, row: int, column: int, cell: QRectF) -> None:
        one = self._sentences[row]
        ground, ink = self._colours_of(one.right_since(column))
        painter.fillRect(cell, ground)
        if one.forgotten_at(column) != NEVER:
            painter.setPen(QPen(self._theme.colour("validation"), 1.5, Qt.PenStyle.DashLine))
            painter.drawRect(cell.adjusted(1, 1, -1, -1))
        if (row, column) == self._cell and not self._theme.is_exporting:
            painter.setPen(QPen(self._theme.colour("text"), 2))
            painter.drawRect(cell)
        painter.setPen(ink)
        painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, self._fitting(one.tokens[column], round(cell.width()) - 2))

    def _fitting(self, token: str, width: int) -> str:
        """The token, elided if it is wider than this. Qt is asked only then: eliding costs as much as painting."""
        if self._width_of(token) - _ROOM <= width:
            return token
        return self._metrics.elidedText(token, Qt.TextElideMode.ElideRight, width)

    def _colours_of(self, right_since: int) -> tuple[QColor, QColor]:
        if right_since not in self._colours:
            ground = self._background(right_since)
            ink = readable_on(ground) if right_since != NEVER else self._theme.colour("muted")
            self._colours[right_since] = ground, ink
        return self._colours[right_since]

    def _background(self, right_since: int) -> QColor:
        if right_since == NEVER:
            return self._theme.colour("surface")
        age = 1.0 - bisect_left(self._steps, right_since) / max(len(self._steps) - 1, 1)
        share = _PALEST + (_DARKEST - _PALEST) * age
        return QColor.fromRgb(int(attention_table(self._theme.mode)[round(255 * share)]))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self._cell_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        move = ARROWS.get(Qt.Key(event.key()))
        if move is None or not self._sentences:
            super().keyPressEvent(event)
            return
        row, column = self._cell or (0, 0)
        row = (row + move[0]) % len(self._sentences)
        num_tokens = len(self._sentences[row].tokens)
        self._point_at((row, (min(column, num_tokens - 1) + move[1]) % num_tokens))
        assert self._cell is not None
        self.moved_by_key.emit(round(self.cell(*self._cell).center().y()))

    def _cell_at(self, point: QPointF) -> tuple[int, int] | None:
        number = int(point.y() // self._row)
        if not 0 <= number < len(self._lines):
            return None
        line = self._lines[number]
        column = line.first + bisect_right(line.edges, point.x()) - 1
        return (line.row, column) if self._contains(line, line.row, column) else None

    def _point_at(self, cell: tuple[int, int] | None) -> None:
        if cell != self._cell:
            self._cell = cell
            text = self._explain(*cell) if cell is not None else ""
            self.setAccessibleDescription(text)
            self.pointed.emit(text)
            self.update()

    def _explain(self, row: int, column: int) -> str:
        one = self._sentences[row]
        token = f"{quoted(one.tokens[column])}, token {column + 1} of sentence {one.index + 1}"
        written = isolated(one.validated.hypothesis or "(nothing)")
        sentence = f"{isolated(one.validated.source)} → free-running: {written}"
        return f"{token}: {self._describe_history(one, column)}.  {sentence}"

    def _describe_history(self, one: LearnedSentence, column: int) -> str:
        times = one.times_forgotten(column)
        before = f", forgotten {times} {'time' if times == 1 else 'times'} before" if times else ""
        if (since := one.right_since(column)) != NEVER:
            return (self._between("became right", since) or f"right since step {since:,}") + before
        if (step := one.forgotten_at(column)) != NEVER:
            return self._between("forgotten", step) or f"forgotten at step {step:,}"
        return "not right yet"

    def _between(self, what: str, step: int) -> str:
        """The two known validations that a change lies between, if there are unknown ones between these; else empty."""
        before = self.known_before(step)
        is_gap = any(before < one < step for one in self._missing)
        return f"{what} between step {before:,} and {step:,}" if is_gap else ""
