"""What the plots over the axis of steps share: playhead, theme, and an axis that never jumps under the mouse."""

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
from gui.panels.learning.plot_style import figure_axes, style_plot
from gui.playhead import Playhead
from gui.theme import Theme

_FIRST = -1  # the axis goes no further back, so that step 0 can be seen
_REST_MS = 3000  # a mouse that has lain still for so long is about to click nowhere
_MARGINS = (0.01, 0.04)  # of the axis, before step 0 and behind its end, whose number lies half behind it


class StepPlot(pg.PlotWidget):
    """A plot whose x axis is steps; the line at the playhead drags, and a click puts it there.

    The wheel looks closer; a double click asks for the whole run again.
    """

    rested = Signal()  # the mouse has lain still
    whole_asked = Signal()

    def __init__(self, theme: Theme, playhead: Playhead) -> None:
        super().__init__(enableMenu=False, axisItems=figure_axes())
        self.theme = theme
        self._playhead = playhead
        self._seen: tuple[tuple[object, ...], list[object]] | None = None  # by `is_as_before`
        self.is_held = False  # whether the axes stay as they are, whatever is drawn
        self.hideButtons()
        self.setMouseEnabled(x=True, y=False)
        self.disableAutoRange()  # a range that happens to be pyqtgraph's first one is set by nobody
        self._whole: tuple[float, float] | None = None  # of the x axis, with all of the run
        self._pointing = QTimer(self, singleShot=True, interval=_REST_MS)
        self._pointing.timeout.connect(self.rested)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._line = pg.InfiniteLine(movable=True, angle=90)
        self._line.setZValue(10)
        self._line.sigDragged.connect(self._drag)
        self.addItem(self._line, ignoreBounds=True)
        self.scene().sigMouseClicked.connect(self._click)
        theme.changed.connect(self.take_theme)

    def long_curve(self) -> pg.PlotDataItem:
        """A curve of any number of steps: drawn as the lowest and highest value of each pixel or two."""
        curve = self.plot(autoDownsampleFactor=1.0)  # pyqtgraph's own 5 points a pixel cost five times the time
        curve.setDownsampling(auto=True, method="peak")  # after addItem: pyqtgraph#1855
        curve.setClipToView(True)
        return curve

    def take_theme(self) -> None:
        """Take colours, fonts and sizes from the theme; also after each of its changes."""
        style_plot(self, self.theme)
        self._line.setPen(pg.mkPen(self.theme.colour("text"), width=1))
        self._line.setHoverPen(pg.mkPen(self.theme.colour("training"), width=3))

    def show_step(self, history: History, step: int) -> None:
        """Draw the run with the playhead at `step`."""
        if not self._line.moving:
            self._line.setValue(step)
        self.draw(history)
        self.scene().prepareForPaint()  # else it is done in the first painting, which then asks for a second

    def draw(self, history: History) -> None:
        """Draw the curves."""
        raise NotImplementedError

    def show_steps(self, end: float) -> None:
        """Have the x axis go from step 0 to `end`."""
        before, behind = (margin * end for margin in _MARGINS)
        whole = max(-before, _FIRST), end + behind
        if whole != self._whole:
            self._whole = whole
            self.setLimits(xMin=whole[0], xMax=whole[1])
        if not _are_near(self.viewRange()[0], whole):
            self.setXRange(*whole, padding=0)

    def show_values(self, bottom: float, top: float) -> None:
        """Have the y axis go from `bottom` to `top`."""
        if not _are_near(self.viewRange()[1], (bottom, top)):
            self.setYRange(bottom, top, padding=0)

    def is_as_before(self, names: object) -> bool:
        """Whether curves, axes and these names are as at the last call: the playhead alone moves no name."""
        arrays = [array for curve in self.plotItem.listDataItems() for array in curve.getOriginalDataset()]
        seen = self.viewRange(), self.plotItem.vb.size(), names, [id(array) for array in arrays]
        before, self._seen = self._seen, (seen, arrays)  # kept, so that no other array gets the id of one
        return before is not None and before[0] == seen

    @property
    def is_pointed_at(self) -> bool:
        """Whether the mouse is over it and has just moved."""
        return self.underMouse() and self._pointing.isActive()

    @property
    def is_zoomed(self) -> bool:
        """Whether somebody looks closer at a part of the run."""
        return self._whole is not None and not _are_near(self.viewRange()[0], self._whole)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointing.start()
        super().mouseMoveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._pointing.start()
        super().wheelEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(event)
        self.whole_asked.emit()

    def _drag(self) -> None:
        self._playhead.put(round(self._line.value()))

    def _click(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._playhead.put(self.step_near(self.plotItem.vb.mapSceneToView(event.scenePos()).x()))

    def step_near(self, place: float) -> int:
        """The step that a click at this place of the axis means."""
        return round(place)


# pyqtgraph works for milliseconds whenever it is told something, new or not: it is told only what is new.


def renew(curve: pg.PlotDataItem, steps: ArrayLike, values: ArrayLike) -> bool:
    """Give a curve its points, [N] each, where they are others than before; whether they are."""
    before = curve.getOriginalDataset()
    if before[0] is None:
        before = ((), ())
    is_other = not (np.array_equal(before[0], steps) and np.array_equal(before[1], values, equal_nan=True))
    if is_other:  # copies: a run that goes back writes over its own arrays
        curve.setData(np.array(steps), np.array(values))
    return is_other


def name_line(line: pg.InfiniteLine, text: str) -> None:
    """Label a line with this very text: in braces, of a metric's name perhaps, a label looks for a place."""
    if line.label.toPlainText() != text:
        line.label.setFormat(text.replace("{", "{{").replace("}", "}}"))


def _are_near(seen: Sequence[float], wanted: Sequence[float]) -> bool:
    return all(map(math.isclose, seen, wanted))
