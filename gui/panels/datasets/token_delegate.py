"""Paints a text as its tokens, wrapped; unknown ones are underlined, special ones muted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui.theme import GRID, Theme

TOKENS = Qt.ItemDataRole.UserRole
TokenKind = Literal["known", "unknown", "special"]
KindOfToken = tuple[str, TokenKind]


class TokenDelegate(QStyledItemDelegate):
    """Cells hold a sequence of `KindOfToken` under `TOKENS`; cells without are painted as usual."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.apply_theme()
        theme.changed.connect(self.apply_theme)

    def apply_theme(self) -> None:
        """Take colours and font from the theme."""
        self._font: QFont = self._theme.token_font()
        unknown, special = QTextCharFormat(), QTextCharFormat()
        unknown.setForeground(self._theme.colour("bad"))
        unknown.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        unknown.setUnderlineColor(self._theme.colour("bad"))
        special.setForeground(self._theme.colour("muted"))
        self._formats = {"unknown": unknown, "special": special}
        self._text, self._selected = self._theme.colour("text"), self._theme.colour("hover")

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        tokens = index.data(TOKENS)
        if tokens is None:
            return super().sizeHint(option, index)
        height = self._layout(tokens, option.rect.width()).boundingRect().height()
        return QSize(option.rect.width(), round(height) + GRID)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        tokens = index.data(TOKENS)
        if tokens is None:
            super().paint(painter, option, index)
            return
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, self._selected)
        painter.setPen(self._text)
        painter.setClipRect(option.rect)
        corner = QRectF(option.rect).topLeft() + QPointF(self._theme.px(GRID), GRID / 2)
        self._layout(tokens, option.rect.width()).draw(painter, corner)
        painter.restore()

    def _layout(self, tokens: Sequence[KindOfToken], width: int) -> QTextLayout:
        layout = QTextLayout(" ".join(visible_token(text) for text, _ in tokens), self._font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.setFormats(self._ranges(tokens))
        layout.beginLayout()
        height = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(1, width - 2 * self._theme.px(GRID)))
            line.setPosition(QPointF(0, height))
            height += line.height()
        layout.endLayout()
        return layout

    def _ranges(self, tokens: Sequence[KindOfToken]) -> list[QTextLayout.FormatRange]:
        ranges, start = [], 0
        for text, kind in tokens:
            length = _utf16_length(visible_token(text))
            if kind in self._formats:
                marked = QTextLayout.FormatRange()
                marked.start, marked.length, marked.format = start, length, self._formats[kind]
                ranges.append(marked)
            start += length + 1
        return ranges


def visible_token(token: str) -> str:
    """A token as it is painted: one of spaces becomes visible."""
    return token if token.strip() else "␣" * len(token)


def _utf16_length(text: str) -> int:
    """The length in UTF-16 code units, as Qt counts: an emoji has two."""
    return len(text) + sum(letter > "\uffff" for letter in text)
