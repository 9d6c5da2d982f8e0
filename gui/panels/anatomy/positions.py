"""The topic of positions: the sinusoids as a heat map, and some dimensions as waves over the same axis."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QKeyEvent

from core.history import History
from core.sinusoids import sinusoids
from gui.arrow_keys import ARROWS
from gui.panel import Table
from gui.panels.anatomy.topic import Topic
from gui.panels.learning.plain_plot import PlainPlot
from gui.pictures.colour_map import as_rgba, signed_table
from gui.theme import Theme
from gui.widgets.spin_boxes import IntegerSpinBox

NUM_WAVES = 5
_TOP = 8  # pixels above the map, for half of the number at its first row
_COLOURS = ("training", "training", "validation", "validation", "good")  # a sine and its cosine share a colour


class PositionsTopic(Topic):
    """Above, each column is the vector added to the token at a position; below, five of the rows as curves."""

    title = "Positions"
    about = (
        "Attention alone does not know the order of tokens. So a vector that belongs to its position is added to each "
        "token: sines and cosines, fast in the first dimensions and ever slower in the later ones, like the hands of "
        "a clock. How far apart two positions are can be read from their vectors, wherever they stand."
    )
    equation = (
        "PE(<i>pos</i>, 2<i>i</i>) = sin(<i>pos</i> / 10000<sup>2<i>i</i>/<i>d</i></sup>)&nbsp;&nbsp;&nbsp;&nbsp;"
        "PE(<i>pos</i>, 2<i>i</i>+1) = cos(<i>pos</i> / 10000<sup>2<i>i</i>/<i>d</i></sup>)"
    )
    paper = "section 3.5"
    functions = ("core.sinusoids:sinusoids", "core.model.transformer:Embedding")

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.positions_spin, self.width_spin, self.wave_spin = (IntegerSpinBox(theme) for _ in range(3))
        self.positions_spin.setRange(8, 512)
        self.positions_spin.setValue(100)
        self.width_spin.setRange(1, 8192)  # the range of d_model
        self.width_spin.setSingleStep(2)
        self.wave_spin.setValue(12)
        self.map = PlainPlot(theme, "Heat map of the table", left="dimension")
        self.waves = PlainPlot(theme, "Five dimensions as waves", left="value", bottom="position")
        self._image = pg.ImageItem(axisOrder="row-major")
        self._curves = [self.waves.plot(symbolSize=4, symbolPen=None) for _ in range(NUM_WAVES)]
        self._names = [pg.TextItem(anchor=(0, 0.5)) for _ in range(NUM_WAVES)]
        self._lines = [pg.InfiniteLine(angle=90) for _ in range(2)]
        self._band = pg.LinearRegionItem(orientation="horizontal", movable=False, brush=pg.mkBrush(None))
        self._is_width_chosen = False
        self._position = 0
        self._lay_out()
        self._connect()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleDescription("Left and right choose a position, up and down a dimension")

    def show_step(self, history: History, step: int) -> None:
        """Draw the table; its width is the model's until the user chooses one."""
        self.show_body()
        if history.prepared is not None and not self._is_width_chosen:
            self.width_spin.setValue(history.prepared.config.model.d_model)
            self._is_width_chosen = False  # by the user: `setValue` has just set it
        self._draw(sinusoids(self.positions_spin.value(), self.width_spin.value()))

    def numbers(self) -> Table:
        """A row for each position."""
        table = sinusoids(self.positions_spin.value(), self.width_spin.value())
        return [["position", *range(table.shape[1])], *([index, *row] for index, row in enumerate(table.tolist()))]

    @contextmanager
    def exporting(self) -> Iterator[None]:
        """Within the block the lines at the position pointed at are hidden."""
        for line in self._lines:
            line.setVisible(False)
        try:
            yield
        finally:
            for line in self._lines:
                line.setVisible(True)

    def _draw(self, table: np.ndarray) -> None:
        num_positions, width = table.shape
        self.map.plotItem.setContentsMargins(0, self.theme.px(_TOP), 0, 0)
        self.wave_spin.setMaximum(max(width - NUM_WAVES, 0))
        self._position = min(self._position, num_positions - 1)
        self._image.setImage(table.T, levels=(-1.0, 1.0), lut=as_rgba(signed_table(self.theme.mode)))
        self._image.setRect(-0.5, -0.5, num_positions, width)
        self.map.setYRange(-0.5, width - 0.5, padding=0)
        self.map.setXRange(-0.5, 1.09 * num_positions, padding=0)
        first = self.wave_spin.value()
        waves = table.T[first:][:NUM_WAVES]
        self._band.setRegion((first - 0.5, first + len(waves) - 0.5))
        ranks = (-waves[:, -1]).argsort().argsort().tolist()  # of the curves' ends, from the top, to order the names
        for index, (curve, name) in enumerate(zip(self._curves, self._names, strict=True)):
            is_there = index < len(waves)
            for item in (curve, name):
                item.setVisible(is_there)
            if is_there:
                self._draw_wave(curve, name, index, waves[index])
                name.setPos(num_positions - 0.5, 0.8 - 0.4 * ranks[index])
        for line in (*self._lines, *self._band.lines):
            line.setPen(pg.mkPen(self.theme.colour("text"), width=1))
        for line in self._lines:
            line.setValue(self._position)
        self._update_readout(table)

    def _draw_wave(self, curve: pg.PlotDataItem, name: pg.TextItem, index: int, wave: np.ndarray) -> None:
        dimension = self.wave_spin.value() + index
        colour = self.theme.colour(_COLOURS[index])
        is_sine = dimension % 2 == 0
        style = Qt.PenStyle.SolidLine if is_sine else Qt.PenStyle.DashLine
        curve.setPen(pg.mkPen(colour, width=2, style=style))
        curve.setSymbol("o" if len(wave) <= 128 else None)
        curve.setSymbolBrush(QColor(colour))
        curve.setData(np.arange(len(wave)), wave)
        name.setText(f"{dimension} {'sin' if is_sine else 'cos'}")
        name.setColor(colour)
        name.setFont(self.theme.font(0.85))

    def _update_readout(self, table: np.ndarray) -> None:
        values = [f"{value:+z.3f}" for value in table[self._position, self.wave_spin.value() :][:NUM_WAVES]]
        first = self.wave_spin.value()
        self.readout_label.setText(
            f"Position {self._position}, dimensions {first} to {first + len(values) - 1}: {', '.join(values)}. "
            "Orange is +1, blue is -1; dashed: cosine. "
            "Point or use the arrow keys; a click in the map chooses the waves."
        )

    def _lay_out(self) -> None:
        self.add_controls(
            ("positions", self.positions_spin, "How many positions are drawn"),
            ("width", self.width_spin, "Dimensions of each vector, d_model"),
            ("waves from dimension", self.wave_spin, "The first of the five dimensions drawn as waves"),
        )
        self.map.addItem(self._image)
        self.map.addItem(self._band, ignoreBounds=True)
        self.map.invertY(True)
        self.waves.setYRange(-1.1, 1.1, padding=0)
        self.waves.setXLink(self.map)
        for name in self._names:
            self.waves.addItem(name, ignoreBounds=True)
        for plot, line in zip((self.map, self.waves), self._lines, strict=True):
            plot.addItem(line, ignoreBounds=True)
        self.picture.addWidget(self.map, 3)
        self.picture.addWidget(self.waves, 2)

    def _connect(self) -> None:
        self.positions_spin.valueChanged.connect(self.mark_dirty)
        self.wave_spin.valueChanged.connect(self.mark_dirty)
        self.width_spin.valueChanged.connect(self._handle_width_chosen)
        self.map.pointed.connect(self._show_position)
        self.waves.pointed.connect(self._show_position)
        self.map.clicked.connect(self._choose_waves)

    def _handle_width_chosen(self) -> None:
        self._is_width_chosen = True
        self.mark_dirty()

    def _show_position(self, point: QPointF) -> None:
        position = min(max(round(point.x()), 0), self.positions_spin.value() - 1)
        if position != self._position:
            self._position = position
            self.mark_dirty()

    def _choose_waves(self, point: QPointF) -> None:
        self.wave_spin.setValue(round(point.y()) // 2 * 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        move = ARROWS.get(Qt.Key(event.key()))
        if move is None:
            super().keyPressEvent(event)
            return
        self.wave_spin.setValue(self.wave_spin.value() + move[0])
        self._position = (self._position + move[1]) % self.positions_spin.value()
        self.mark_dirty()
