"""The transport's field for the seed."""

from __future__ import annotations

import re

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QValidator
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QToolTip

from core.config import NUM_SEEDS
from gui.widgets.labels import set_role
from gui.widgets.spin_boxes import WITH_SEPARATORS

LONG_SEED = 9  # digits that there is usually room for, padding counted
_LARGEST = NUM_SEEDS - 1


class _SeedValidator(QValidator):
    """Accepts every seed. Separators can be typed, but are not accepted: dropping that of 2,5 would make it 25."""

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        if re.fullmatch(r"\d{1,10}", text, re.ASCII) and int(text) <= _LARGEST:
            return QValidator.State.Acceptable, text, position
        is_on_its_way = len(text) <= len(f"{_LARGEST:,}") and (not text or WITH_SEPARATORS.fullmatch(text) is not None)
        return QValidator.State.Intermediate if is_on_its_way else QValidator.State.Invalid, text, position


class SeedEdit(QLineEdit):
    """Takes digits. Space is passed on to the window, where it is the shortcut of Learn."""

    focus_lost = Signal()

    def __init__(self) -> None:
        super().__init__("0")
        self._digits = LONG_SEED
        self.setObjectName("seed")
        self.setAccessibleName("Seed")
        self.setToolTip("Decides initial weights, dropout and the order of the data")
        self.setValidator(_SeedValidator(self))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.textChanged.connect(self._show_validity)

    def set_shown_digits(self, digits: int) -> None:
        """Ask for the width of this many digits."""
        self._digits = digits
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance("0") * self._digits, super().sizeHint().height())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.warn_if_invalid()
        self.focus_lost.emit()

    def warn_if_invalid(self) -> bool:
        """Whether the finished text is no seed; if so, a tooltip says it. Empty text does not count."""
        is_none = bool(self.text()) and not self.hasAcceptableInput()
        if is_none:
            expected = f"a whole number from 0 to {_LARGEST:,}, without separators"
            sentence = f"{self.text()} is not a seed: expected {expected}"
            QToolTip.showText(self.mapToGlobal(QPoint(0, self.height())), sentence, self)
        return is_none

    def _show_validity(self) -> None:
        set_role(self, "" if self.hasAcceptableInput() else "error")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            event.ignore()
        else:
            super().keyPressEvent(event)
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.warn_if_invalid()
