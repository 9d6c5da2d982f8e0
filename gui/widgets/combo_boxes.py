"""Combo boxes, whose texts each stand for a value."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QStyle, QStyleOptionComboBox

_SENTENCE = 36  # characters: in a window of 1280 pixels the stages of Anatomy's attention fit beside it


class ElidingComboBox(QComboBox):
    """A combo box that ends a text with an ellipsis if there is too little room: Qt cuts it within a letter."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves Space to Learn

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        super().initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self).width()
        option.currentText = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)


class NoWheelComboBox(ElidingComboBox):
    """A combo box in a form that scrolls: the mouse wheel scrolls the form instead of choosing."""

    def ignore_text_width(self) -> None:
        """Take as much width as there is, whatever its texts need: here they may be cut, in its list they are whole."""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class SentenceCombo(ElidingComboBox):
    """A choice of sentences; a long one is cut, so that it does not widen the page."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_SENTENCE)

    def minimumSizeHint(self) -> QSize:
        """The height alone, worked out each time: Qt keeps that of an earlier zoom if the font is set afterwards."""
        return QSize(1, self.sizeHint().height())


def combo_box(name: str, help: str) -> QComboBox:
    """A combo box with an accessible name and a help text, as wide as its longest text."""
    combo = QComboBox()
    combo.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves Space to Learn
    combo.setAccessibleName(name)
    combo.setAccessibleDescription(help)
    combo.setToolTip(help)
    combo.setMaxVisibleItems(20)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    return combo


def set_items(combo: QComboBox, items: Sequence[tuple[str, object]]) -> None:
    """Offer these (text, value) pairs, unless it offers them already or its list is open."""
    current = [(combo.itemText(index), combo.itemData(index)) for index in range(combo.count())]
    if list(items) != current and not combo.view().isVisible():
        with QSignalBlocker(combo):
            combo.clear()
            for text, value in items:
                combo.addItem(text, value)
