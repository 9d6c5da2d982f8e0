"""The base class of widgets that paint one head and describe what the mouse or an arrow key points at."""

from __future__ import annotations

from typing import Generic, TypeVar

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from gui.arrow_keys import ARROWS
from gui.heads.head_picture import HeadPicture
from gui.theme import Theme

Target = TypeVar("Target")


class HeadCanvas(QWidget, Generic[Target]):
    """Subclasses paint the picture. `pointed` carries a description of the `Target` (cell or token) pointed at."""

    pointed = Signal(str)

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self.picture: HeadPicture | None = None
        self._target: Target | None = None  # pointed at
        self._square_root = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)

    def legend(self) -> str:
        """How to read the picture."""
        raise NotImplementedError

    def caption(self) -> str:
        """The legend, or what a line below the picture has room for."""
        return self.legend()

    def readout(self) -> str:
        """What is pointed at, in words; empty if nothing is."""
        raise NotImplementedError

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(200), self._theme.px(160))

    def show_picture(self, picture: HeadPicture, *, square_root: bool = False) -> None:
        """Paint this head; `square_root` makes small weights more visible."""
        self.picture, self._square_root = picture, square_root
        if self._target is not None and not self._contains(picture, self._target):
            self._target = None
        self._emit_readout()
        self.update()

    def _contains(self, picture: HeadPicture, target: Target) -> bool:
        """Whether this head's map contains the place."""
        raise NotImplementedError

    def _target_at(self, picture: HeadPicture, point: QPointF) -> Target | None:
        raise NotImplementedError

    def _target_after(self, picture: HeadPicture, key: Qt.Key) -> Target:
        """The place that an arrow key leads to."""
        raise NotImplementedError

    def _paint(self, painter: QPainter, picture: HeadPicture) -> None:
        raise NotImplementedError

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.picture is not None:
            with QPainter(self) as painter:  # ends the painter even if an exception is raised
                self._paint(painter, self.picture)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.pointed.emit(self.readout())  # the caption may have more room, or less

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.picture is not None:
            self._set_target(self._target_at(self.picture, event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._set_target(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key not in ARROWS or self.picture is None:
            super().keyPressEvent(event)
            return
        self._set_target(self._target_after(self.picture, key))

    def _set_target(self, target: Target | None) -> None:
        if target != self._target:
            self._target = target
            self._emit_readout()
            self.update()

    def _emit_readout(self) -> None:
        self.setAccessibleDescription(self.readout())
        self.pointed.emit(self.readout())
