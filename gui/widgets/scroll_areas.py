"""Scroll areas, and scrolling to a widget."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QWidget


class FramelessScrollArea(QScrollArea):
    """Scrolls a widget that needs more room than there is; any other fills the area.

    It takes no focus: what is inside takes it, and is scrolled to.
    """

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(widget)
        self._widget = widget

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep in view what has the focus: a field must not vanish because typing into it brings up a button below."""
        super().resizeEvent(event)
        focused = QApplication.focusWidget()
        if focused is not None and self._widget.isAncestorOf(focused):
            corner = focused.mapTo(self.viewport(), QPoint())
            if QRect(QPoint(), event.oldSize()).contains(QRect(corner, focused.size())):
                self.ensureWidgetVisible(focused)


class HorizontalScrollArea(FramelessScrollArea):
    """Scrolls a widget sideways if it needs more width, and is as high as the widget needs."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def heightForWidth(self, width: int) -> int:
        least = self._widget.minimumSizeHint().expandedTo(self._widget.minimumSize())
        return least.height() + (self.horizontalScrollBar().sizeHint().height() if least.width() > width else 0)


def complete_layouts() -> None:
    """Do now what Qt does once it is idle: give everything its place after something was shown, hidden or resized."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)


def scroll_into_view(widget: QWidget) -> None:
    """Scroll the scroll area around this widget, if there is one, until the widget is visible.

    First complete the layout: a widget that was shown just now has no place yet.
    """
    complete_layouts()
    around = widget.parentWidget()
    while around is not None and not isinstance(around, QScrollArea):
        around = around.parentWidget()
    if around is not None:
        around.ensureWidgetVisible(widget)
