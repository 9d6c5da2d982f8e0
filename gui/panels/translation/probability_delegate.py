"""Paints a token with its probability: a bar behind it, the number at the right."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from gui.sentences.tokens import figure_text
from gui.theme import GRID, Theme

PROBABILITY = Qt.ItemDataRole.UserRole
IS_FORCED = PROBABILITY + 1  # whether the user chose the token
_TO_COME_OPACITY = 0.3
_EDGE, _BETWEEN, _RIGHT = 1, GRID // 2, GRID // 2  # pixels around the cell and its texts


class ProbabilityDelegate(QStyledItemDelegate):
    """Cells hold the token as text and its probability under `PROBABILITY`; the first column has the chosen tokens.

    A token that the user chose (`IS_FORCED`) has another colour and is underlined. Rows after `position` are dimmed.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.position = 0
        self.apply_theme()
        theme.changed.connect(self.apply_theme)

    def apply_theme(self) -> None:
        """Take colours and fonts from the theme, once: making them for every cell took most of the painting time."""
        theme = self._theme
        self._text, self._focus, self._selected = theme.colour("text"), theme.colour("training"), theme.colour("hover")
        self._chosen_bar, self._other_bar = theme.colour("training", 0.35), theme.colour("muted", 0.2)
        self._forced_bar = theme.colour("validation", 0.35)
        self._number_font, self._token_font = theme.font(0.9), theme.token_font()
        self._forced_font = theme.token_font()
        self._forced_font.setUnderline(True)
        self._token_metrics = QFontMetrics(self._token_font)
        self._left = theme.px(GRID) - _EDGE  # below the head's text
        self._number_width = QFontMetrics(self._number_font).horizontalAdvance("0.000")

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """The size in which the token is not cut."""
        token = self._token_metrics.horizontalAdvance(index.data() or "") + 1  # the advance is rounded, perhaps down
        around = 2 * _EDGE + self._left + _BETWEEN + _RIGHT
        return QSize(token + self._number_width + around, self._theme.px(28))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        probability = index.data(PROBABILITY)
        if probability is None:
            return
        painter.save()
        if index.row() > self.position:
            painter.setOpacity(_TO_COME_OPACITY)
        rect = QRectF(option.rect).adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, self._selected)
        share = probability if probability > 0.0 else 0.0  # NaN from a diverged model
        bar = QRectF(rect.left(), rect.top(), _longest(option) * share, rect.height())
        forced = bool(index.data(IS_FORCED))
        chosen = self._forced_bar if forced else self._chosen_bar
        painter.fillRect(bar, chosen if index.column() == 0 else self._other_bar)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(self._focus)
            painter.drawRect(rect)
        self._paint_texts(painter, rect.adjusted(self._left, 0, -_RIGHT, 0), index.data(), probability, forced)
        painter.restore()

    def _paint_texts(self, painter: QPainter, rect: QRectF, token: str, probability: float, forced: bool) -> None:
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(self._number_font)
        painter.setPen(self._text)
        painter.drawText(rect, middle | Qt.AlignmentFlag.AlignRight, figure_text(probability, 3))
        painter.setFont(self._forced_font if forced else self._token_font)
        room = int(rect.width()) - self._number_width - _BETWEEN
        text = self._token_metrics.elidedText(token, Qt.TextElideMode.ElideRight, room)
        painter.drawText(rect, middle | Qt.AlignmentFlag.AlignLeft, text)


def _longest(option: QStyleOptionViewItem) -> int:
    """The length of the bar for probability 1, the same in every column so that bars can be compared."""
    view = option.widget
    assert isinstance(view, QTableView)
    widths = map(view.columnWidth, range(view.model().columnCount()))
    return min(width for width in widths if width) - 2 * _EDGE  # a hidden column has none
