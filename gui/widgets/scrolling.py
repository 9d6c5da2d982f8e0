"""What can be scrolled."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QScrollArea,
    QWidget,
)


def scrolling(widget: QWidget) -> QScrollArea:
    """A widget that can be scrolled where zoom leaves too little room."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setWidget(widget)
    return area


def bring_into_view(widget: QWidget) -> None:
    """Where it lies in something that scrolls, scroll there."""
    around = widget.parentWidget()
    while around is not None and not isinstance(around, QScrollArea):
        around = around.parentWidget()
    if around is not None:
        around.ensureWidgetVisible(widget)
