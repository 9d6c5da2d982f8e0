"""Paints tracks below one another, aligned by position; the colour of a token is its probability."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
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

from gui.colours import readable_on
from gui.panels.translation.track_layout import TrackLayout
from gui.pictures.colour_map import attention_table
from gui.sentences.output_position import OutputPosition
from gui.sentences.tokens import first_difference, probability_text, quoted
from gui.sentences.tracks import Track
from gui.theme import GRID, Theme
from gui.widgets.scroll_areas import FramelessScrollArea

_HELP = (
    "The colour is the probability of the token, 0 to 1; ✗ marks what the model would have written instead. Click a "
    "place, or use Left and Right"
)


class TrackCanvas(QWidget):
    """Marks one position, and the first difference between the first two tracks.

    Emits `pointed` with the position that was clicked, or reached with the arrow keys.
    """

    pointed = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.tracks: tuple[Track, ...] = ()
        self._description = ""
        self.position = 0
        self._is_chosen = False
        self._difference: int | None = None
        self._layout: TrackLayout | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolTip(_HELP)

    def show_tracks(self, tracks: tuple[Track, ...], description: str) -> None:
        """Paint these tracks; `description` is about them. `show_position` follows, to mark a place in them."""
        self.tracks = tracks
        self._layout = TrackLayout(tracks, self._theme)
        self._difference = first_difference(*(track.tokens for track in tracks[:2])) if len(tracks) > 1 else None
        self.setAccessibleName(f"{' over '.join(track.name for track in tracks)}; arrow keys go from place to place")
        self._description = description
        self.setMinimumSize(self.sizeHint())
        self.update()

    def show_position(self, index: int, *, is_chosen: bool) -> None:
        """Mark this position; `is_chosen` says whether the user chose it."""
        self.position, self._is_chosen = index, is_chosen
        self._describe()
        self.update()

    def _describe(self) -> None:
        """Tell a screen reader what the tracks show as a whole, and at the marked position."""
        if self._layout is None:
            return
        index = self._shown_position(self._layout)
        tokens = [_describe_token(track, index) for track in self.tracks if index < len(track.tokens)]
        self.setAccessibleDescription(f"{self._description} Place {index + 1}: {'; '.join(tokens)}.")

    def sizeHint(self) -> QSize:
        layout = self._layout
        return QSize() if layout is None else QSize(round(layout.width), round(layout.height))

    @property
    def names_width(self) -> int:
        """The width that the track names cover at the left."""
        return 0 if self._layout is None else round(self._layout.left)

    def focus_rect(self) -> QRectF:
        """What should be in view: the first difference if the user chose no position, else the marked position."""
        if self._layout is None:
            return QRectF()
        if self._is_chosen or self._difference is None:
            return self._layout.number_rect(self._shown_position(self._layout))
        return self._layout.number_rect(self._difference)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._layout is not None:
            with QPainter(self) as painter:  # ends the painter even if an exception is raised
                self._paint(painter, self._layout, event.rect())

    def _paint(self, painter: QPainter, layout: TrackLayout, seen: QRect) -> None:
        positions = layout.positions_within(seen.left(), seen.right())  # of a hundred tokens a dozen are visible
        self._paint_positions(painter, layout, positions)
        for row, track in enumerate(self.tracks):
            for index in range(positions.start, min(positions.stop, len(track.tokens))):
                self._paint_token(painter, layout, row, index)
                self._paint_first_choice(painter, layout, row, index)
        if self._difference is not None:
            painter.setPen(QPen(self._theme.colour("bad"), 2, Qt.PenStyle.DashLine))
            painter.drawRect(layout.compared_rect(self._difference).adjusted(1, 0, -2, 0))
        if not self._theme.is_exporting:
            painter.setPen(QPen(self._theme.colour("training" if self.hasFocus() else "text"), 2))
            number_rect = layout.number_rect(self._shown_position(layout))
            painter.drawLine(number_rect.bottomLeft() + QPointF(2, -2), number_rect.bottomRight() + QPointF(-3, -2))
        self._paint_names(painter, layout)

    def _paint_names(self, painter: QPainter, layout: TrackLayout) -> None:
        """Paint the names at the left edge of the visible part, above the scrolled tracks; in a file, at the left."""
        left = 0 if self._theme.is_exporting else -self.x()
        painter.fillRect(QRectF(left, 0, layout.left - GRID / 2, self.height()), self.palette().base())
        painter.setFont(layout.name_font)
        painter.setPen(self._theme.colour("muted"))
        for row, track in enumerate(self.tracks):
            name = QRectF(left, layout.box(row, 0).top(), layout.left - GRID, layout.box_height)
            painter.drawText(name, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, track.name)

    def _shown_position(self, layout: TrackLayout) -> int:
        return min(self.position, layout.num_positions - 1)

    def _paint_positions(self, painter: QPainter, layout: TrackLayout, positions: range) -> None:
        painter.setFont(layout.small_font)
        for index in positions:
            is_first = index == self._difference
            painter.setPen(self._theme.colour("bad" if is_first else "muted"))
            text = f"≠ {index + 1}" if is_first else f"{index + 1}"
            painter.drawText(layout.number_rect(index), Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, text)

    def _paint_token(self, painter: QPainter, layout: TrackLayout, row: int, index: int) -> None:
        track, inner = self.tracks[row], layout.box(row, index).adjusted(1, 0, -1, -2)
        probability = track.probabilities[index]
        colour = QColor.fromRgb(int(attention_table(self._theme.mode)[_index(probability)]))
        painter.fillRect(inner, colour)
        painter.setPen(QPen(self._theme.colour("line"), 1))
        painter.drawRect(inner)
        painter.setPen(readable_on(colour))
        painter.setFont(layout.token_font)
        upper = QRectF(inner.left(), inner.top() + 1, inner.width(), layout.token_metrics.height())
        painter.drawText(upper, Qt.AlignmentFlag.AlignCenter, _elided(layout.token_metrics, track.tokens[index], inner))
        painter.setFont(layout.small_font)
        lower = QRectF(inner.left(), upper.bottom(), inner.width(), inner.bottom() - upper.bottom())
        painter.drawText(lower, Qt.AlignmentFlag.AlignCenter, probability_text(probability))

    def _paint_first_choice(self, painter: QPainter, layout: TrackLayout, row: int, index: int) -> None:
        track, line = self.tracks[row], layout.first_choice_rect(row, index)
        first = track.first_choices[index]
        if first != track.tokens[index]:
            painter.setFont(layout.small_font)
            painter.setPen(self._theme.colour("muted"))
            painter.drawText(line, Qt.AlignmentFlag.AlignCenter, _elided(layout.small_metrics, f"✗ {first}", line))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        index = self._layout.position_at(x) if self._layout is not None else None
        if index is not None and x + self.x() >= self.names_width:  # tokens under the names cannot be seen
            self.pointed.emit(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._layout is None:
            super().keyPressEvent(event)
            return
        last, shown = self._layout.num_positions - 1, self._shown_position(self._layout)
        moves = {
            Qt.Key.Key_Left: shown - 1,
            Qt.Key.Key_Right: shown + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        index = moves.get(Qt.Key(event.key()))
        if index is None:
            super().keyPressEvent(event)
        else:
            self.pointed.emit(min(max(index, 0), last))


class TrackScrollArea(FramelessScrollArea):
    """Scrolls a `TrackCanvas` sideways, takes its height, and marks the position of an `OutputPosition` in it."""

    def __init__(self, canvas: TrackCanvas, position: OutputPosition) -> None:
        super().__init__(canvas)
        self.canvas, self._position = canvas, position
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalScrollBar().valueChanged.connect(canvas.update)  # the names have moved within the canvas
        canvas.pointed.connect(position.go_to)
        position.moved.connect(self.show_position)

    def show_position(self) -> None:
        """Mark the viewed position of the output, and bring it into view."""
        self.canvas.show_position(self._position.index, is_chosen=self._position.is_chosen)
        self.fit()

    def fit(self) -> None:
        """Take the height of the current tracks, and scroll to `focus_rect`."""
        if not self.canvas.tracks:
            return
        needed, is_cut = self.canvas.sizeHint(), self.canvas.sizeHint().width() > self.width()
        self.setFixedHeight(needed.height() + (self.horizontalScrollBar().sizeHint().height() if is_cut else 0))
        seen = self.canvas.focus_rect()
        self.ensureVisible(round(seen.center().x()), 0, round(self.canvas.names_width + seen.width() / 2))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()


def _describe_token(track: Track, index: int) -> str:
    """`free run, “beer”, 0.42, first choice “tea”`, the latter if it differs."""
    token, first = track.tokens[index], track.first_choices[index]
    parts = [track.name, quoted(token), probability_text(track.probabilities[index])]
    return ", ".join([*parts, f"first choice {quoted(first)}"] if first != token else parts)


def _elided(metrics: QFontMetricsF, text: str, box: QRectF) -> str:
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width() - 4)


def _index(probability: float) -> int:
    """The index of a probability in a table of 256 colours; 0 for NaN."""
    return round(255 * min(max(0.0, probability), 1.0))  # this order of the arguments turns NaN into 0
