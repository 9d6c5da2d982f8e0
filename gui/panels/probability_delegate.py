"""Paints a token with its probability: a bar behind, the number at the right."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui.theme import GRID, Theme

PROBABILITY = Qt.ItemDataRole.UserRole


class ProbabilityDelegate(QStyledItemDelegate):
    """Cells hold the token as text and its probability under `PROBABILITY`; the first column is what was chosen."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(self._theme.px(96), self._theme.px(28))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        probability = index.data(PROBABILITY)
        if probability is None:
            return
        painter.save()
        rect = QRectF(option.rect).adjusted(1, 1, -1, -1)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, self._theme.colour("hover"))
        is_chosen = index.column() == 0
        colour = self._theme.colour("training", 0.35) if is_chosen else self._theme.colour("muted", 0.2)
        painter.fillRect(QRectF(rect.left(), rect.top(), rect.width() * probability, rect.height()), colour)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(self._theme.colour("training"))
            painter.drawRect(rect)
        self._paint_texts(painter, rect.adjusted(GRID - 1, 0, -GRID / 2, 0), index.data(), probability)
        painter.restore()

    def _paint_texts(self, painter: QPainter, rect: QRectF, token: str, probability: float) -> None:
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(self._theme.font(0.9))
        painter.setPen(self._theme.colour("text"))
        number = painter.fontMetrics().horizontalAdvance("0.000")
        painter.drawText(rect, middle | Qt.AlignmentFlag.AlignRight, f"{probability:.3f}")
        painter.setFont(self._theme.token_font())
        room = int(rect.width()) - number - GRID // 2
        text = painter.fontMetrics().elidedText(token, Qt.TextElideMode.ElideRight, room)
        painter.drawText(rect, middle | Qt.AlignmentFlag.AlignLeft, text)
