"""A plot in the theme's colours that cannot be dragged or zoomed, and reports where the mouse is."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSize, Qt, Signal

from gui.panels.learning.plot_style import number_axes, style_plot
from gui.theme import Theme


class PlainPlot(pg.PlotWidget):
    """Emits `pointed` and `clicked` with the position in the plot's own coordinates."""

    pointed = Signal(QPointF)
    clicked = Signal(QPointF)

    def __init__(self, theme: Theme, name: str = "", *, left: str = "", bottom: str = "") -> None:
        """`name` is the accessible name; `left` and `bottom` are the axis labels."""
        super().__init__(enableMenu=False, axisItems=number_axes())
        self.setAccessibleName(name)
        self._theme = theme
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.scene().sigMouseMoved.connect(self._point)
        self.scene().sigMouseClicked.connect(self._click)
        theme.changed.connect(self.apply_theme)
        self.apply_theme()
        for side, label in (("left", left), ("bottom", bottom)):
            if label:
                self.setLabel(side, label)

    def sizeHint(self) -> QSize:
        """The minimum size, instead of pyqtgraph's 640 x 480: the plot takes whatever room there is."""
        return self.minimumSize()

    def apply_theme(self) -> None:
        """Take the theme's colours and sizes."""
        style_plot(self, self._theme)
        self.setMinimumHeight(self._theme.px(128))

    def _point(self, point: QPointF) -> None:
        if self.plotItem.vb.sceneBoundingRect().contains(point):
            self.pointed.emit(self.plotItem.vb.mapSceneToView(point))

    def _click(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(self.plotItem.vb.mapSceneToView(event.scenePos()))
