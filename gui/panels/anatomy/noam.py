"""The paper's learning rate for several widths and warm-ups; one warm-up is dragged, and taken over into Setup."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QSpinBox

from core.config import OptimizerConfig, ScheduleConfig
from core.history import History
from core.schedules import learning_rate
from gui.panel import Table
from gui.panels.anatomy.topic import Topic
from gui.panels.learning.plain_plot import PlainPlot
from gui.theme import Theme
from gui.widgets import button, enable
from gui.workbench import Workbench

_REFERENCES = ((512, 4000), (512, 8000), (256, 4000))  # d_model and warm-up
_PAPERS_WARMUP = 4000
_STYLES = (Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)
_POINTS = 500
_LAST_STEP = 20_000


class NoamTopic(Topic):
    """Three curves to compare with, and one's own."""

    title = "Learning rate"
    about = (
        "The rate rises in a straight line while the first steps are still wild, then falls with the square root of "
        "the step. Wider models get lower rates. Drag the line at the warm-up and see what becomes of the peak."
    )
    equation = (
        "<i>rate</i> = <i>d</i><sub>model</sub><sup>−1/2</sup> · min(<i>step</i><sup>−1/2</sup>, "
        "<i>step</i> · <i>warmup</i><sup>−3/2</sup>)"
    )
    paper = "section 5.3"
    functions = ("core.schedules:learning_rate", "core.schedules:_inverse_sqrt")

    def __init__(self, theme: Theme, workbench: Workbench) -> None:
        super().__init__(theme)
        self._workbench = workbench
        self.width_spin, self.warmup_spin = QSpinBox(), QSpinBox()
        self.width_spin.setRange(2, 8192)
        self.width_spin.setSingleStep(32)
        self.warmup_spin.setRange(1, _LAST_STEP)
        self.warmup_spin.setSingleStep(100)
        self.take_button = button("Use in Setup", "Have the next run follow the noam schedule with this warm-up")
        self.plot = PlainPlot(theme)
        self.line = pg.InfiniteLine(
            angle=90, movable=True, bounds=(1, _LAST_STEP), label="drag", labelOpts={"position": 0.95}
        )
        self._own = self.plot.plot()
        self._references = [self.plot.plot() for _ in _REFERENCES]
        self._names = [pg.TextItem() for _ in range(len(_REFERENCES) + 1)]
        self._is_chosen = False
        self._step = 0
        self._lay_out()
        self._connect()

    def show_step(self, history: History, step: int) -> None:
        """Draw the curves; until somebody chooses, the width and a noam's warm-up are this run's."""
        self.show_body()
        if history.prepared is not None and not self._is_chosen:
            config = history.prepared.config
            schedule = config.training.schedule
            self.width_spin.setValue(config.model.d_model)
            self.warmup_spin.setValue(schedule.warmup_steps if schedule.name == "noam" else _PAPERS_WARMUP)
            self._is_chosen = False  # by anybody but us
        enable(self.take_button, "" if self._workbench.draft is not None else "Choose a preset in Setup first")
        self._draw()

    def rates(self, d_model: int, warmup_steps: int, steps: np.ndarray) -> np.ndarray:
        """The rate at each step."""
        schedule = ScheduleConfig(name="noam", warmup_steps=warmup_steps)
        return learning_rate(schedule, OptimizerConfig(), d_model, _LAST_STEP, steps)

    def numbers(self) -> Table:
        """A row for each step that is drawn, a column for each curve."""
        own = self.width_spin.value(), self.warmup_spin.value()
        steps = self._steps()
        columns = np.stack([steps, *(self.rates(*settings, steps) for settings in (own, *_REFERENCES))], axis=1)
        return [["step", *(f"{width}:{warmup}" for width, warmup in (own, *_REFERENCES))], *columns.tolist()]

    def take_over(self) -> None:
        """Have Setup hold the noam schedule with this warm-up."""
        warmup = self.warmup_spin.value()
        edits = {"training.schedule.name": "noam", "training.schedule.warmup_steps": warmup}
        self._workbench.edit_what_fits(edits)
        waits = "It acts with the next run." if self._workbench.run is not None else "The model is prepared anew."
        self.readout_label.setText(f"Setup now has noam with {warmup:,} warm-up steps. {waits}")

    def _draw(self) -> None:
        width, warmup, theme = self.width_spin.value(), self.warmup_spin.value(), self.theme
        steps = self._steps()
        own = self.rates(width, warmup, steps)
        self._own.setPen(pg.mkPen(theme.colour("training"), width=3))
        self._own.setData(steps, own)
        self._name(0, steps, own, f"yours: width {width}, warm-up {warmup:,}", "training")
        for place, (curve, settings) in enumerate(zip(self._references, _REFERENCES, strict=True)):
            rates = self.rates(*settings, steps)
            curve.setPen(pg.mkPen(theme.colour("muted"), width=1.5, style=_STYLES[place]))
            curve.setData(steps, rates)
            self._name(place + 1, steps, rates, f"width {settings[0]}, warm-up {settings[1]:,}", "muted")
        if not self.line.moving:
            self.line.setValue(warmup)
        self.line.setPen(pg.mkPen(theme.colour("text"), width=1))
        self.line.setHoverPen(pg.mkPen(theme.colour("training"), width=3))
        self.line.label.setColor(theme.colour("muted"))
        self.line.label.setFont(theme.font(0.85))
        self.plot.setYRange(0, 1.05 * max(float(own.max()), 1e-3), padding=0)
        self._say()

    def _steps(self) -> np.ndarray:
        """Those that are drawn, the peak's among them."""
        return np.unique(np.append(np.linspace(1, _LAST_STEP, _POINTS).round(), self.warmup_spin.value()))

    def _name(self, place: int, steps: np.ndarray, rates: np.ndarray, text: str, colour: str) -> None:
        name = self._names[place]
        name.setText(text)
        name.setColor(self.theme.colour(colour))
        name.setFont(self.theme.font(0.85))
        peak = int(rates.argmax())
        at = peak if place else max(peak, 3 * len(steps) // 5)  # yours is dragged at its peak
        name.setAnchor((0, 1) if at < 0.8 * len(steps) else (1, 1))  # above a curve that falls from here, or rose
        name.setPos(float(steps[at]), float(rates[at]))

    def _say(self) -> None:
        width, warmup = self.width_spin.value(), self.warmup_spin.value()
        peak, rate = (float(self.rates(width, warmup, np.array(step))) for step in (warmup, max(self._step, 1)))
        at = f" At step {self._step:,}: {rate:.2e}." if self._step else ""
        self.readout_label.setText(f"Yours peaks at step {warmup:,} with {peak:.2e}.{at}")

    def _lay_out(self) -> None:
        self.add_controls(
            ("width", self.width_spin, "d_model: wider models get lower rates"),
            ("warm-up", self.warmup_spin, "Steps in which the rate rises; or drag the line"),
            more=(self.take_button,),
        )
        self.plot.setLabel("left", "learning rate")
        self.plot.getAxis("left").enableAutoSIPrefix(False)
        self.plot.setLabel("bottom", "step")
        self.plot.setXRange(0, _LAST_STEP, padding=0.01)
        self.plot.setAccessibleName("Learning rate over steps")
        for item in (self.line, *self._names):
            self.plot.addItem(item, ignoreBounds=True)
        self.picture.addWidget(self.plot, 1)

    def _connect(self) -> None:
        self.width_spin.valueChanged.connect(self._choose)
        self.warmup_spin.valueChanged.connect(self._choose)
        self.take_button.clicked.connect(self.take_over)
        self.line.sigDragged.connect(self._drag)
        self.plot.pointed.connect(self._point_at)

    def _choose(self) -> None:
        self._is_chosen = True
        self.mark_dirty()

    def _drag(self) -> None:
        self.warmup_spin.setValue(round(self.line.value()))

    def _point_at(self, point: QPointF) -> None:
        self._step = min(max(round(point.x()), 1), _LAST_STEP)
        self._say()
