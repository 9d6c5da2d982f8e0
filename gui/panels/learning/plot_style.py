"""How every plot looks: the theme's colours and sizes on ground and axes."""

from __future__ import annotations

import pyqtgraph as pg

from gui.theme import Theme

_AXIS_WIDTH = 64  # of every plot, so that equal steps stand below each other


def style_plot(plot: pg.PlotWidget, theme: Theme) -> None:
    """Take what the theme says; also after each of its changes."""
    plot.setBackground(theme.colour("surface"))
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setPen(theme.colour("line"))
        axis.setTextPen(theme.colour("muted"))
        axis.setTickFont(theme.font(0.85))
        axis.label.setFont(theme.font(0.85))
    plot.getAxis("left").setWidth(theme.px(_AXIS_WIDTH))
