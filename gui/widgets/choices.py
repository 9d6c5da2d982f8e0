"""Choices among texts, each of which stands for something."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QSizePolicy,
)


class CalmCombo(QComboBox):
    """A choice among others that scroll: the wheel scrolls them, it does not choose."""

    def take_any_width(self) -> None:
        """As much room as there is, however long what it offers: that is cut here, and whole in its list."""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def combo_box(name: str, help: str) -> QComboBox:
    """A choice with a name and a help, as wide as what it offers."""
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.setAccessibleDescription(help)
    combo.setToolTip(help)
    combo.setMaxVisibleItems(20)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    return combo


def offer(combo: QComboBox, offers: Sequence[tuple[str, object]]) -> None:
    """Offer these texts and what they stand for, where they are others and nobody is choosing just now."""
    offered = [(combo.itemText(place), combo.itemData(place)) for place in range(combo.count())]
    if list(offers) != offered and not combo.view().isVisible():
        with QSignalBlocker(combo):
            combo.clear()
            for text, value in offers:
                combo.addItem(text, value)
