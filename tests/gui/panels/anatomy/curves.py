"""Where the curves of a plot run."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF


def runs_through(plot: pg.PlotWidget, curve: pg.PlotDataItem, area: QRectF) -> bool:
    """Whether a curve passes through a rectangle of the scene."""
    box = plot.plotItem.vb
    columns = np.linspace(area.left(), area.right(), 200)
    steps = [box.mapSceneToView(QPointF(column, 0.0)).x() for column in columns]
    rates = np.interp(steps, *curve.getData())
    heights = [box.mapViewToScene(QPointF(step, rate)).y() for step, rate in zip(steps, rates, strict=True)]
    return any(area.top() < height < area.bottom() for height in heights)
