"""Splitters: widgets side by side or stacked, with a line between them that can be dragged."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from gui.theme import GRID


class FittingSplitter(QSplitter):
    """The upper widget has the height it needs, at most half, until the user drags the line; the lower has the rest.

    Call `fit` when the needed height has changed.
    """

    def __init__(self, upper: QWidget, lower: QWidget, needed: Callable[[], int]) -> None:
        """`needed` returns the height in pixels that the upper widget needs."""
        super().__init__(Qt.Orientation.Vertical)
        self._needed = needed
        self._was_dragged = False
        self.setChildrenCollapsible(False)
        self.setHandleWidth(GRID)
        for widget in (upper, lower):
            self.addWidget(widget)
        self.splitterMoved.connect(self._mark_dragged)

    def fit(self) -> None:
        """Share out the height again, unless the user has dragged the line."""
        if not self._was_dragged:
            whole = self.height() - self.handleWidth()
            upper = min(self._needed(), whole // 2)
            self.setSizes([upper, whole - upper])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def _mark_dragged(self) -> None:
        self._was_dragged = True


def splitter(orientation: Qt.Orientation, *parts: tuple[QWidget, int]) -> QSplitter:
    """A splitter whose widgets share the room in these proportions; none can be collapsed."""
    made = QSplitter(orientation)
    made.setChildrenCollapsible(False)
    made.setHandleWidth(GRID)
    for index, (widget, stretch) in enumerate(parts):
        made.addWidget(widget)
        made.setStretchFactor(index, stretch)
    made.setSizes([1000 * stretch for _, stretch in parts])
    return made
