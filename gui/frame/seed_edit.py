"""The transport's field for the seed of the draft."""

from __future__ import annotations

import re

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QValidator
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QToolTip

from core.config import NUM_SEEDS
from gui.widgets.labels import set_role
from gui.widgets.spin_boxes import WITH_SEPARATORS
from gui.workbench import Workbench

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
    """Edits the draft at each keystroke; while the text is no seed, the draft has the one before the typing again.

    Space is passed on to the window, where it is the shortcut of Learn.
    """

    def __init__(self, workbench: Workbench) -> None:
        super().__init__("0")
        self._workbench = workbench
        self._committed_seed = 0  # the one before the typing
        self._digits = LONG_SEED
        self.setObjectName("seed")
        self.setAccessibleName("Seed")
        self.setToolTip("Decides initial weights, dropout and the order of the data")
        self.setValidator(_SeedValidator(self))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.textChanged.connect(self._show_validity)
        self.textEdited.connect(self._edit)
        for completed in (self.returnPressed, workbench.learn_requested):
            completed.connect(self.commit)
        workbench.changed.connect(self._show_draft)
        self._show_draft()

    def commit(self) -> None:
        """Take the seed of the draft as completely typed: text that is no seed no longer undoes it."""
        if self._workbench.draft is not None:
            self._committed_seed = self._workbench.draft.seed

    def set_shown_digits(self, digits: int) -> None:
        """Ask for the width of this many digits."""
        self._digits = digits
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance("0") * self._digits, super().sizeHint().height())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.warn_if_invalid()
        self._show_draft()

    def warn_if_invalid(self) -> bool:
        """Whether the finished text is no seed; if so, a tooltip says it. Empty text does not count."""
        is_none = bool(self.text()) and not self.hasAcceptableInput()
        if is_none:
            expected = f"a whole number from 0 to {_LARGEST:,}, without separators"
            sentence = f"{self.text()} is not a seed: expected {expected}"
            QToolTip.showText(self.mapToGlobal(QPoint(0, self.height())), sentence, self)
        return is_none

    def _edit(self, text: str) -> None:
        draft, seed = self._workbench.draft, int(text) if self.hasAcceptableInput() else self._committed_seed
        if draft is not None and seed != draft.seed:
            self._workbench.edit("seed", seed)

    def _show_draft(self) -> None:
        """Show the seed of the draft, unless another is being typed: the field may just have been emptied for it."""
        if not self.hasFocus():
            self.commit()
        draft, is_being_typed = self._workbench.draft, self.hasFocus() and not self.hasAcceptableInput()
        if draft is not None and not is_being_typed and self.text() != str(draft.seed):
            self.setText(str(draft.seed))

    def _show_validity(self) -> None:
        set_role(self, "" if self.hasAcceptableInput() else "error")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            event.ignore()
        else:
            super().keyPressEvent(event)
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.warn_if_invalid()
