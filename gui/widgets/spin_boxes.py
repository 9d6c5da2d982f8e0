"""Spin boxes as high as combo boxes and text fields, which know what a comma, point or space in a number means."""

from __future__ import annotations

import re
from math import ceil

from PySide6.QtCore import QLocale, QObject, QPoint, Qt
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent, QValidator
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSpinBox, QToolTip

from gui.theme import GRID, Theme
from gui.widgets.labels import set_role

_INTEGER = re.compile(r"\s*(\d+|\d{1,3}([,\s])\d{3}(\2\d{3})*)\s*")
WITH_SEPARATORS = re.compile(r"[\d,.\s]*[,.\s][\d,.\s]*")  # digits with decimal or thousands separators


class DecimalSpinBox(QDoubleSpinBox):
    """Reads a comma as the decimal point, as in most of Europe: Qt drops it as a thousands separator, so 0,2 is 2.

    Only for numbers below a thousand, in which a comma can mean nothing else.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        _SpinBoxStyle(self, theme)

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        return super().validate(text.replace(",", "."), position)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_for_learn(self, event):
            event.ignore()
        else:
            super().keyPressEvent(event)


class IntegerSpinBox(QSpinBox):
    """Reads 2,000 and 2 000 as whole numbers, and marks 2,5, 2.5 and 2.000 as wrong: Qt would drop the separators.

    The text is judged when it is complete. If it is no whole number then, a tooltip says so, and the value from before
    the typing comes back, although its first digits were a number while they were typed.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._committed_value = self.value()  # the value before anything was typed
        self.lineEdit().textEdited.connect(self._show_validity)
        self.valueChanged.connect(self._show_validity)
        self.valueChanged.connect(self._commit_unless_typed)
        self.editingFinished.connect(self._commit)
        _SpinBoxStyle(self, theme)

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        number = text.removesuffix(self.suffix())
        if not WITH_SEPARATORS.fullmatch(number):
            return super().validate(text, position)
        is_one = _INTEGER.fullmatch(number) and self.minimum() <= _without_separators(number) <= self.maximum()
        return QValidator.State.Acceptable if is_one else QValidator.State.Intermediate, text, position

    def valueFromText(self, text: str) -> int:
        number = text.removesuffix(self.suffix())
        return _without_separators(number) if _INTEGER.fullmatch(number) else super().valueFromText(text)

    def fixup(self, text: str) -> str:
        """Put the value before in place of a complete text that is no whole number, and say so in a tooltip."""
        if typed := text.removesuffix(self.suffix()):
            sentence = f"{typed} is not a whole number from {self.minimum():,} to {self.maximum():,}"
            QToolTip.showText(self.mapToGlobal(QPoint(0, self.height())), sentence, self)
        set_role(self, "")
        return self.textFromValue(self._committed_value) + self.suffix()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_for_learn(self, event):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show no thousands separators while editing: with them, deleting a zero of 4,000 would leave 4,00."""
        self.setGroupSeparatorShown(False)
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.setGroupSeparatorShown(True)

    def _commit_unless_typed(self) -> None:
        if not self.lineEdit().isModified():
            self._commit()

    def _commit(self) -> None:
        self._committed_value = self.value()

    def _show_validity(self) -> None:
        set_role(self, "" if self.hasAcceptableInput() else "error")


def _is_for_learn(spin: QAbstractSpinBox, event: QKeyEvent) -> bool:
    """Whether Space would replace a selected number, as after a click on an arrow: it is left to Learn then."""
    return event.key() == Qt.Key.Key_Space and spin.lineEdit().hasSelectedText()


def _without_separators(number: str) -> int:
    return int(re.sub(r"\D", "", number))


class _SpinBoxStyle(QObject):
    """Gives a spin box the window's number format, and at each zoom the height and padding of a combo box.

    The stylesheet cannot: the inner field ignores padding, and Qt makes the box higher.
    """

    def __init__(self, spin: QAbstractSpinBox, theme: Theme) -> None:
        super().__init__(spin)
        spin.setLocale(QLocale(QLocale.Language.English))
        spin.setGroupSeparatorShown(True)
        self._spin, self._theme = spin, theme
        theme.changed.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        px = self._theme.px
        text = ceil(QFontMetricsF(self._theme.font()).height()) + 2
        self._spin.setFixedHeight(max(text, px(20)) + 2 * px(3) + 2)  # as in window.qss, with the border
        self._spin.lineEdit().setTextMargins(px(GRID), 0, 0, 0)
