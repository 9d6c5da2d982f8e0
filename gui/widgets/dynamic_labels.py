"""Labels whose text changes all the time, or is cut if there is no room for it."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetrics, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QLabel,
    QSizePolicy,
    QToolTip,
    QWidget,
)

from gui.widgets.labels import literal_tooltip

_LEGIBLE_LETTERS = 12  # letters of a title that are always visible


class NumberLabel(QLabel):
    """A plain label for figures that change all the time.

    QLabel has the whole window laid out again at each text; this one only if its text needs more room, or much less.
    It fills its own background, in the colour of bars: else everything under it is painted with it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def setText(self, text: str) -> None:
        if text != self.text():
            super().setText(text)
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def shrink_to_text(self) -> None:
        """Give back the room that the text does not need, since everything is being laid out again."""
        self.setFixedSize(self._needed())

    def _needed(self) -> QSize:
        width = text_width(self.fontMetrics(), self.text())
        return QSize(width, _line_height(self))  # a hint of its own would not be below its fixed size

    def _fit(self) -> None:
        needed, room = self._needed(), self.maximumSize()
        if needed.height() != room.height() or not needed.width() <= room.width() <= 4 / 3 * needed.width():
            self.setFixedSize(needed)


class ElidedLabel(QLabel):
    """A plain label that leaves out the middle of a text that does not fit; its tooltip has the whole text."""

    def __init__(self, *, role: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        if role:
            self.setProperty("role", role)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(literal_tooltip(text))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.hasSelectedText():
            super().paintEvent(event)  # it shows the selection
            return
        seen = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, self.contentsRect().width())
        _paint_text(self, seen)


class StableHeightLabel(QWidget):
    """Holds a label that wraps its lines, and keeps the room for as many lines as it has needed at this width.

    On its own, the label would have the whole page laid out again at each text; so that happens only for more lines.
    """

    def __init__(self, label: QLabel) -> None:
        super().__init__()
        self._label = label
        self._kept_heights: dict[tuple[int, str], int] = {}  # height, by width and font
        label.setParent(self)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_text(self, text: str) -> None:
        """Set the label's text."""
        self._label.setText(text)
        self._fit()

    def release_height(self) -> None:
        """Give back the kept room: the next text is about something else."""
        self._kept_heights.clear()
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return self._label.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._label.minimumSizeHint()

    def heightForWidth(self, width: int) -> int:
        return max(self._label.heightForWidth(width), self._kept_heights.get((width, self._label.font().key()), 0))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # the label has another font
            self._fit()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._label.setGeometry(self.rect())
        self._fit()

    def _fit(self) -> None:
        needed = self.heightForWidth(self.width())
        self._kept_heights = {(self.width(), self._label.font().key()): needed}
        if needed > self.height():
            self.updateGeometry()


class TitleLabel(QWidget):
    """A title that is cut, if possible before its step, if there is no room for all of it; its tooltip has the whole.

    Figures in it change all the time, as in `NumberLabel`: it asks for another size only if its text needs more room,
    or much less. A QLabel that may become narrower would have the window laid out again at each text.
    """

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self.setProperty("role", "heading")
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self._fit()

    def text(self) -> str:
        """The whole title, visible or not."""
        return self._text

    def setText(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self._fit()
            self.update()

    def sizeHint(self) -> QSize:
        return self.maximumSize()

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self._needed(), _legible_width(self.fontMetrics())), self.maximumHeight())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self.width() < self._needed():
            whole = "\n".join(text for text in (self._text, self.toolTip()) if text)
            QToolTip.showText(event.globalPos(), literal_tooltip(whole), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        _paint_text(self, elided_title(self._text, self.fontMetrics(), self.contentsRect().width()))

    def _needed(self) -> int:
        return text_width(self.fontMetrics(), self._text)

    def _fit(self) -> None:
        self.setFixedHeight(_line_height(self))
        if not self._needed() <= self.maximumWidth() <= 4 / 3 * self._needed():
            self.setMaximumWidth(self._needed())


def text_width(metrics: QFontMetrics, text: str) -> int:
    """The width in pixels that shows a text whole: its advance is rounded, and half a pixel more would be cut."""
    return metrics.horizontalAdvance(text) + 1


def elided_title(text: str, metrics: QFontMetrics, width: int) -> str:
    """As much of a title as `width` pixels hold: its step, after the last dot, stays whole if two thirds are enough.

    The part before the dot has the rest, if that leaves a legible part of it.
    """
    name, dot, moment = text.rpartition(" · ")
    needed, kept = (text_width(metrics, part) for part in (name, dot + moment))
    room = min(needed, max(width - kept, width // 3))
    if metrics.horizontalAdvance(text) <= width or room < min(needed, _legible_width(metrics)):
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
    parts = ((name, room), (dot + moment, width - room))
    return "".join(metrics.elidedText(part, Qt.TextElideMode.ElideRight, share) for part, share in parts)


def _line_height(widget: QWidget) -> int:
    """The line height of the widget's font, rounded up: at some zooms QFontMetrics gives a part of a pixel too few."""
    return ceil(QFontMetricsF(widget.font()).height())


def _legible_width(metrics: QFontMetrics) -> int:
    """The width of a title that is always visible."""
    return _LEGIBLE_LETTERS * metrics.averageCharWidth()


def _paint_text(widget: QWidget, text: str) -> None:
    """Write a text in the widget's font and colour."""
    rect, flags = widget.contentsRect(), (Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter).value
    role = widget.foregroundRole()
    with QPainter(widget) as painter:
        widget.style().drawItemText(painter, rect, flags, widget.palette(), widget.isEnabled(), text, role)
