"""A check box in light and dark: a frame around it, ticked or not, and the tick within."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QCheckBox, QStyle, QStyleOptionButton, QWidget

from gui.colours import Mode
from gui.theme import Theme

Stage = Callable[[QWidget, int, int], None]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_it_has_its_frame_ticked_or_not(mode: Mode, theme: Theme, stage: Stage) -> None:
    theme.set_mode(mode)
    box = QCheckBox("entropy of each head")
    stage(box, 200, 40)
    unticked = within(box)
    assert frame(box) == {theme.colours.muted}
    box.setChecked(True)
    assert frame(box) == {theme.colours.training} and within(box) != unticked
    box.setEnabled(False)
    assert frame(box) == {theme.colours.line}


def frame(box: QCheckBox) -> set[str]:
    """The colours of its four sides, in their middles."""
    place, drawn = indicator(box)
    sides = (
        QPoint(place.center().x(), place.top()),
        QPoint(place.center().x(), place.bottom()),
        QPoint(place.left(), place.center().y()),
        QPoint(place.right(), place.center().y()),
    )
    return {QColor(drawn.pixel(side)).name() for side in sides}


def within(box: QCheckBox) -> QImage:
    """What is drawn inside the frame."""
    place, drawn = indicator(box)
    return drawn.copy(place.adjusted(1, 1, -1, -1))


def indicator(box: QCheckBox) -> tuple[QRect, QImage]:
    """Where its square is, and all of it as drawn."""
    option = QStyleOptionButton()
    box.initStyleOption(option)
    return box.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, box), box.grab().toImage()
