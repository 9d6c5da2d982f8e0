"""Spin boxes that stand in a row with choices and fields."""

from __future__ import annotations

from math import ceil
from typing import TypeVar

from PySide6.QtCore import QLocale, QObject
from PySide6.QtGui import QFontMetricsF, QValidator
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSpinBox

from gui.theme import GRID, Theme

Spin = TypeVar("Spin", QSpinBox, QDoubleSpinBox)


def fitted(spin: Spin, theme: Theme) -> Spin:
    """A spin box of the height and padding that choices have, with numbers as the rest of the window writes them."""
    spin.setLocale(QLocale(QLocale.Language.English))
    spin.setGroupSeparatorShown(True)
    _Fitting(spin, theme)
    return spin


class DecimalSpin(QDoubleSpinBox):
    """Takes a comma for the point, as most of Europe writes it: as a separator Qt left it out, and 0,2 was 2.

    For numbers below a thousand, in which a comma cannot be meant otherwise.
    """

    def validate(self, text: str, place: int) -> tuple[QValidator.State, str, int]:
        return super().validate(text.replace(",", "."), place)


class _Fitting(QObject):
    """Does at each zoom what the stylesheet cannot: the field within knows no padding, and Qt makes the box higher."""

    def __init__(self, spin: QAbstractSpinBox, theme: Theme) -> None:
        super().__init__(spin)
        self._spin, self._theme = spin, theme
        theme.changed.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        px = self._theme.px
        text = ceil(QFontMetricsF(self._theme.font()).height()) + 2
        self._spin.setFixedHeight(max(text, px(20)) + 2 * px(3) + 2)  # as in window.qss, with the border
        self._spin.lineEdit().setTextMargins(px(GRID), 0, 0, 0)
