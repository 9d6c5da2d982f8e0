"""The frame and the tick of a check box in the light and the dark theme."""

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
def test_the_frame_is_drawn_ticked_unticked_and_disabled(mode: Mode, theme: Theme, stage: Stage) -> None:
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
    """The colours in the middle of the frame's four sides."""
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
    """The rectangle of the square, and a picture of the whole check box."""
    option = QStyleOptionButton()
    box.initStyleOption(option)
    return box.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, box), box.grab().toImage()
