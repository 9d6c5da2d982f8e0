"""The base class of plots over steps: playhead, theme, and an axis that does not move under the mouse."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import ArrayLike
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QWheelEvent

from core.history import History
from gui.panels.learning.plot_style import number_axes, style_plot
from gui.playhead import Playhead
from gui.theme import Theme

_FIRST = -1  # the least start of the axis, just enough to show step 0
_REST_MS = 3000  # a mouse that has not moved for this long is not about to click
_MARGINS = (0.01, 0.04)  # shares of the axis before step 0 and after its end, for half of the last number


class StepPlot(pg.PlotWidget):
    """A plot whose x axis is steps. The line of the playhead can be dragged, and a click moves the playhead.

    The wheel zooms in; a double click asks for the whole run again.
    """

    mouse_rested = Signal()  # the mouse has not moved for `_REST_MS`
    reset_requested = Signal()

    def __init__(self, theme: Theme, playhead: Playhead) -> None:
        super().__init__(enableMenu=False, axisItems=number_axes())
        self.theme = theme
        self._playhead = playhead
        self._last_layout: tuple[tuple[object, ...], list[object]] | None = None  # as `is_layout_unchanged` saw it
        self.is_frozen = False  # whether the axes stay as they are, whatever is drawn
        self.hideButtons()
        self.setMouseEnabled(x=True, y=False)
        self.disableAutoRange()  # else it stays on if the first range wanted is pyqtgraph's own, and so not set
        self._full_range: tuple[float, float] | None = None  # the range of the x axis that shows the whole run
        self._hover_timer = QTimer(self, singleShot=True, interval=_REST_MS)
        self._hover_timer.timeout.connect(self.mouse_rested)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._playhead_line = pg.InfiniteLine(movable=True, angle=90)
        self._playhead_line.setZValue(10)
        self._playhead_line.sigDragged.connect(self._drag)
        self.addItem(self._playhead_line, ignoreBounds=True)
        self.scene().sigMouseClicked.connect(self._click)
        theme.changed.connect(self.apply_theme)

    def long_curve(self) -> pg.PlotDataItem:
        """A curve for any number of steps, drawn as the lowest and highest value of each pixel or two."""
        curve = self.plot(autoDownsampleFactor=1.0)  # pyqtgraph's default of 5 points a pixel takes five times as long
        curve.setDownsampling(auto=True, method="peak")  # after addItem: pyqtgraph#1855
        curve.setClipToView(True)
        return curve

    def apply_theme(self) -> None:
        """Take colours, fonts and sizes from the theme; also after each of its changes."""
        style_plot(self, self.theme)
        self._playhead_line.setPen(pg.mkPen(self.theme.colour("text"), width=1))
        self._playhead_line.setHoverPen(pg.mkPen(self.theme.colour("training"), width=3))

    def show_step(self, history: History, step: int) -> None:
        """Draw the run with the playhead at `step`."""
        if not self._playhead_line.moving:
            self._playhead_line.setValue(step)
        self.draw(history)
        self.scene().prepareForPaint()  # else the first painting does it, and asks for a second one

    def draw(self, history: History) -> None:
        """Draw the curves."""
        raise NotImplementedError

    def set_step_range(self, end: float) -> None:
        """Let the x axis run from step 0 to `end`."""
        before, behind = (margin * end for margin in _MARGINS)
        whole = max(-before, _FIRST), end + behind
        if whole != self._full_range:
            self._full_range = whole
            self.setLimits(xMin=whole[0], xMax=whole[1])
        if not _are_near(self.viewRange()[0], whole):
            self.setXRange(*whole, padding=0)

    def set_value_range(self, bottom: float, top: float) -> None:
        """Let the y axis run from `bottom` to `top`."""
        if not _are_near(self.viewRange()[1], (bottom, top)):
            self.setYRange(bottom, top, padding=0)

    def is_layout_unchanged(self, names: object) -> bool:
        """Whether curves, axes and `names` are the same as at the last call, so that no name has to be moved."""
        arrays = [array for curve in self.plotItem.listDataItems() for array in curve.getOriginalDataset()]
        seen = self.viewRange(), self.plotItem.vb.size(), names, [id(array) for array in arrays]
        before = self._last_layout
        self._last_layout = seen, arrays  # the arrays are kept so that their ids are not reused
        return before is not None and before[0] == seen

    @property
    def is_hovered(self) -> bool:
        """Whether the mouse is over the plot and has just moved."""
        return self.underMouse() and self._hover_timer.isActive()

    @property
    def is_zoomed(self) -> bool:
        """Whether the user has zoomed into a part of the run."""
        return self._full_range is not None and not _are_near(self.viewRange()[0], self._full_range)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover_timer.start()
        super().mouseMoveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._hover_timer.start()
        super().wheelEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(event)
        self.reset_requested.emit()

    def _drag(self) -> None:
        self._playhead.drag_to(round(self._playhead_line.value()))

    def _click(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._playhead.drag_to(self.step_near(self.plotItem.vb.mapSceneToView(event.scenePos()).x()))

    def step_near(self, x: float) -> int:
        """The step that a click at this place of the axis means."""
        return round(x)


# Every call to pyqtgraph costs milliseconds even if nothing changes, so these functions call it only for changes.


def update_curve(curve: pg.PlotDataItem, steps: ArrayLike, values: ArrayLike) -> bool:
    """Set a curve's points, [N] each, if they have changed; returns whether they have."""
    before = curve.getOriginalDataset()
    if before[0] is None:
        before = ((), ())
    is_other = not (np.array_equal(before[0], steps) and np.array_equal(before[1], values, equal_nan=True))
    if is_other:  # copies, since a run that goes back overwrites its arrays
        curve.setData(np.array(steps), np.array(values))
    return is_other


def set_line_label(line: pg.InfiniteLine, text: str) -> None:
    """Label a line with exactly this text; its braces are escaped, since pyqtgraph formats labels with `str.format`."""
    if line.label.toPlainText() != text:
        line.label.setFormat(text.replace("{", "{{").replace("}", "}}"))


def _are_near(seen: Sequence[float], wanted: Sequence[float]) -> bool:
    return all(map(math.isclose, seen, wanted))
