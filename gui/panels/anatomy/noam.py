"""The topic of the paper's learning rate: curves for several widths and warm-ups, one of which the user drags."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSizeF, Qt

from core.config import OptimizerConfig, RunConfig, ScheduleConfig
from core.history import History
from core.schedules import learning_rate
from gui.context import Context
from gui.panel import Table
from gui.panels.anatomy.topic import Topic
from gui.panels.learning.label_placer import LabelPlacer, candidate_middles
from gui.panels.learning.line_labels import set_label_position, vertical_line_positions
from gui.panels.learning.plain_plot import PlainPlot
from gui.panels.learning.step_plot import set_line_label
from gui.widgets.buttons import button, set_enabled
from gui.widgets.spin_boxes import IntegerSpinBox

_PAPER_CURVES = ((512, 4000), (512, 8000), (256, 4000))  # d_model and warm-up
_PAPER_WARMUP = 4000
_DASHES = ((6.0, 3.0), (1.0, 2.0), (9.0, 3.0, 1.0, 3.0))  # of each reference, in line widths
_LEGEND_SAMPLE, _LEGEND_GAP = 40, 6  # pixels at 100 %: the piece of line before a name, and the gap after it
_POINTS = 500
_SHORTEST = 20_000  # least number of steps on the axis, to show the paper's curves rise and fall
_TICK_STRIDES = (5, 2, 1)
_HEADROOM = 1.15  # the axis in heights of the highest peak, with room for the label of the line
_WIDE_LEGEND = 0.5  # a legend wider than this share of the plot would cover a curve: it stands above all of them


class NoamTopic(Topic):
    """The paper's curves, and the user's own with this run's factor, whose warm-up can be taken over into Setup."""

    title = "Learning rate"
    about = (
        "The paper's schedule, called noam in Setup: the rate rises in a straight line while the first steps are still "
        "unstable, then falls as 1/√step. Wider models get lower rates. Drag the line at the warm-up and see how the "
        "peak changes."
    )
    equation = (
        "<i>rate</i> = <i>d</i><sub>model</sub><sup>−1/2</sup> · min(<i>step</i><sup>−1/2</sup>, "
        "<i>step</i> · <i>warmup</i><sup>−3/2</sup>)"
    )
    paper = "section 5.3"
    functions = ("core.schedules:learning_rate", "core.schedules:_noam", "core.schedules:_inverse_sqrt")

    def __init__(self, context: Context) -> None:
        theme = context.theme
        super().__init__(theme)
        self._bridge, self._workbench = context.bridge, context.workbench
        self.width_spin, self.warmup_spin = IntegerSpinBox(theme), IntegerSpinBox(theme)
        self.width_spin.setRange(2, 8192)
        self.width_spin.setSingleStep(32)
        self.warmup_spin.setSingleStep(100)
        self.apply_button = button("Use in Setup", "Use the noam schedule with this warm-up for the next run")
        self.plot = PlainPlot(theme, "Learning rate over steps", left="learning rate", bottom="step")
        self.line = pg.InfiniteLine(angle=90, movable=True, label="drag")
        self.end_line = pg.InfiniteLine(angle=90, label="")
        self._own_curve = self.plot.plot()
        self._paper_curves = [self.plot.plot() for _ in _PAPER_CURVES]
        self._curves = [self._own_curve, *self._paper_curves]
        self._legend_labels = [pg.TextItem(anchor=(0, 0.5)) for _ in self._curves]
        self._legend_samples = [self.plot.plot() for _ in self._curves]  # in the legend: a piece of each curve's line
        self._is_chosen = False
        self._factor = 1.0  # this run's
        self._other_schedule = ""  # this run's if it is not noam
        self._run_end: float = math.inf  # its last step
        self._axis_end = 0  # of the axis
        self._peak = 1e-3  # that the axis of rates has room for
        self._step = 0
        self._lay_out()
        self._set_axis_end(_SHORTEST)
        self._connect()

    def show_step(self, history: History, step: int) -> None:
        """Draw the curves. Until the user chooses, the width is this run's, and so is the warm-up if it uses noam."""
        self.show_body()
        if history.prepared is not None:
            self._use_run(history.prepared.config, history.last_step)
        set_enabled(self.apply_button, "" if self._workbench.draft is not None else "Choose a preset in Setup first")
        self._draw()

    def _use_run(self, config: RunConfig, last_step: int) -> None:
        schedule = config.training.schedule
        self._factor = schedule.factor
        self._other_schedule = "" if schedule.name == "noam" else schedule.name
        self._run_end = end = max(config.training.max_steps, last_step)  # it may have gone on beyond max_steps
        warmup_steps = schedule.warmup_steps if schedule.name == "noam" else _PAPER_WARMUP
        self._set_axis_end(max(_SHORTEST, end, warmup_steps))
        if not self._is_chosen:
            self.width_spin.setValue(config.model.d_model)
            self.warmup_spin.setValue(warmup_steps)
            self._is_chosen = False  # by the user: `setValue` has just set it

    def _set_axis_end(self, last_step: int) -> None:
        """Let the axis, and the range of the warm-up, end at this step."""
        if last_step == self._axis_end:
            return
        self._axis_end = last_step
        with QSignalBlocker(self.warmup_spin):  # a warm-up that is cut to a shorter range is not the user's choice
            self.warmup_spin.setRange(1, last_step)
        self.line.setBounds((1, last_step))
        every = _tick_every(last_step)
        ticks = [(step, f"{step:,}") for step in range(0, last_step + 1, every)]
        self.plot.getAxis("bottom").setTicks([ticks])
        self.plot.setXRange(-0.01 * last_step, 1.03 * last_step, padding=0)  # room for the last number

    def rates(self, d_model: int, warmup_steps: int, steps: np.ndarray, factor: float = 1.0) -> np.ndarray:
        """The learning rate at each step; with factor 1 it is the paper's."""
        schedule = ScheduleConfig(name="noam", warmup_steps=warmup_steps, factor=factor)
        return learning_rate(schedule, OptimizerConfig(), d_model, self._axis_end, steps)

    def numbers(self) -> Table:
        """A row for each drawn step, a column for each curve."""
        steps = self._steps()
        references = [self.rates(*settings, steps) for settings in _PAPER_CURVES]
        columns = np.stack([steps, self._own_rates(steps), *references], axis=1)
        own = f"{self.width_spin.value()}:{self.warmup_spin.value()}{self._times_factor(' factor {:g}')}"
        return [["step", own, *(f"{width}:{warmup}" for width, warmup in _PAPER_CURVES)], *columns.tolist()]

    def apply_to_setup(self) -> None:
        """Put the noam schedule with this warm-up into Setup."""
        warmup = self.warmup_spin.value()
        edits = {"training.schedule.name": "noam", "training.schedule.warmup_steps": warmup}
        self._workbench.apply_valid_edits(edits)
        has_run = self._workbench.run is not None
        waits = "it takes effect with the next run" if has_run else "the model is prepared again"
        steps = f"{warmup:,} warm-up step{'s' * (warmup != 1)}"
        # Not in the readout: the next step, or preparation, would replace it before it is read.
        self._bridge.message.emit(f"Setup now uses noam with {steps}: {waits}")

    def _own_rates(self, steps: np.ndarray) -> np.ndarray:
        """The rates of this run if it had this width and warm-up."""
        return self.rates(self.width_spin.value(), self.warmup_spin.value(), steps, self._factor)

    def _times_factor(self, text: str) -> str:
        """`text` formatted with the run's factor; empty if that is the paper's 1."""
        return text.format(self._factor) if self._factor != 1.0 else ""

    def _warning(self) -> str:
        """A warning if this run ends before the warm-up does; else empty."""
        if self.warmup_spin.value() <= self._run_end:
            return ""
        steps = "1 step" if self._run_end == 1 else f"{self._run_end:,} steps"
        return f" A run of {steps}, as this one, ends within that warm-up and never reaches the peak."

    def _draw(self) -> None:
        width, warmup, theme = self.width_spin.value(), self.warmup_spin.value(), self.theme
        steps = self._steps()
        own = self._own_rates(steps)
        self._own_curve.setPen(pg.mkPen(theme.colour("training"), width=3))
        self._own_curve.setData(steps, own)
        factor = self._times_factor(", factor {:g}")
        self._label_curve(0, f"yours: width {width}, warm-up {warmup:,}{factor}", "training")
        for index, (curve, settings) in enumerate(zip(self._paper_curves, _PAPER_CURVES, strict=True)):
            rates = self.rates(*settings, steps)
            curve.setPen(pg.mkPen(theme.colour("muted"), width=1.5, dash=_DASHES[index]))
            curve.setData(steps, rates)
            self._label_curve(index + 1, f"width {settings[0]}, warm-up {settings[1]:,}", "muted")
        if not self.line.moving:
            self.line.setValue(warmup)
        self.line.setPen(pg.mkPen(theme.colour("text"), width=1))
        self.line.setHoverPen(pg.mkPen(theme.colour("training"), width=3))
        self.line.label.setColor(theme.colour("muted"))
        self.line.label.setFont(theme.font(0.85))
        self._mark_end()
        self._peak = max(float(own.max()), 1e-3)
        self._place_labels()
        self._update_readout()

    def _mark_end(self) -> None:
        """Draw the line at which this run ends: rates to its right are never used."""
        self.end_line.setVisible(math.isfinite(self._run_end))
        if self.end_line.isVisible():
            self.end_line.setValue(self._run_end)
            set_line_label(self.end_line, f"this run ends at {self._run_end:,}")
        self.end_line.setPen(pg.mkPen(self.theme.colour("muted"), width=1, style=Qt.PenStyle.DotLine))
        self.end_line.label.setColor(self.theme.colour("muted"))
        self.end_line.label.fill = pg.mkBrush(self.theme.colour("surface", 0.85))
        self.end_line.label.setFont(self.theme.font(0.85))

    def _steps(self) -> np.ndarray:
        """The steps that are drawn, all peaks included."""
        peaks = [self.warmup_spin.value(), *(warmup for _, warmup in _PAPER_CURVES)]
        return np.unique(np.append(np.linspace(1, self._axis_end, _POINTS).round(), peaks))

    def _label_curve(self, index: int, text: str, colour: str) -> None:
        name = self._legend_labels[index]
        name.setText(text)
        name.setColor(self.theme.colour(colour))
        name.setFont(self.theme.font(0.85))
        self._legend_samples[index].setPen(self._curves[index].opts["pen"])

    def _place_labels(self) -> None:
        """Place the legend and the labels of the two lines where they cover no curve and not one another."""
        self.plot.setYRange(0, self._peak * self._headroom(), padding=0)
        placer = LabelPlacer(self.plot.plotItem, self._curves)
        bottom, top = self.plot.viewRange()[1]
        for line in (self.line, self.end_line):
            placer.add_curve((line.value(),) * 2, (bottom, top))
        self._place_legend(placer)
        set_label_position(
            self.line, placer.place_freest(vertical_line_positions(self.line, 1.0, placer, may_turn=False))
        )
        set_label_position(self.end_line, placer.place_freest(vertical_line_positions(self.end_line, 0.5, placer)))

    def _headroom(self) -> float:
        """What the axis of rates reaches to, of the peak."""
        legend, box = self._legend_size(), self.plot.plotItem.vb
        is_wide = legend.width() > _WIDE_LEGEND * box.width()
        return max(_HEADROOM, 1 / max(1 - legend.height() / box.height(), 0.5)) if is_wide else _HEADROOM

    def _legend_size(self) -> QSizeF:
        names = [name.boundingRect() for name in self._legend_labels]
        beside = self.theme.px(_LEGEND_SAMPLE) + self.theme.px(_LEGEND_GAP)
        return QSizeF(beside + max(name.width() for name in names), sum(name.height() for name in names))

    def _place_legend(self, placer: LabelPlacer) -> None:
        """Place the legend at the top, one curve below another, as far right as possible without covering a curve."""
        sample, gap, size = self.theme.px(_LEGEND_SAMPLE), self.theme.px(_LEGEND_GAP), self._legend_size()
        row = size.height() / len(self._legend_labels)
        corners = (
            QPointF(middle - size.width() / 2, 0.0)
            for middle in candidate_middles(size.width(), placer.width, placer.width)
        )
        corner = placer.place_freest((QRectF(corner, size), corner) for corner in corners)
        for index, (line, name) in enumerate(zip(self._legend_samples, self._legend_labels, strict=True)):
            start = corner + QPointF(0.0, (index + 0.5) * row)
            end = start + QPointF(sample, 0.0)
            line.setData(*zip(placer.from_pixel(start), placer.from_pixel(end), strict=True))
            name.setPos(*placer.from_pixel(end + QPointF(gap, 0.0)))

    def _update_readout(self) -> None:
        warmup = self.warmup_spin.value()
        peak, rate = self._own_rates(np.array([warmup, max(self._step, 1)])).tolist()
        factor = self._times_factor(", this run's factor of {:g} included")
        other = f" This run's own schedule is {self._other_schedule}." if self._other_schedule else ""
        at = f" At step {self._step:,}: {rate:.3g}." if self._step else ""
        self.readout_label.setText(
            f"Yours peaks at step {warmup:,} with {peak:.3g}{factor}.{other}{self._warning()}{at}"
        )

    def _lay_out(self) -> None:
        self.add_controls(
            ("width", self.width_spin, "d_model: wider models get lower rates"),
            ("warm-up", self.warmup_spin, "Steps in which the rate rises; or drag the line"),
            more=(self.apply_button,),
        )
        self.line.setZValue(2)
        for item in (self.end_line, self.line, *self._legend_labels):
            self.plot.addItem(item, ignoreBounds=True)
        self.picture.addWidget(self.plot, 1)

    def _connect(self) -> None:
        self.width_spin.valueChanged.connect(self._handle_chosen)
        self.warmup_spin.valueChanged.connect(self._handle_chosen)
        self.apply_button.clicked.connect(self.apply_to_setup)
        self.line.sigDragged.connect(self._drag)
        self.plot.plotItem.vb.sigResized.connect(self._place_labels)
        self.plot.pointed.connect(self._show_rates_at)

    def _handle_chosen(self) -> None:
        self._is_chosen = True
        self.mark_dirty()

    def _drag(self) -> None:
        self.warmup_spin.setValue(round(self.line.value()))

    def _show_rates_at(self, point: QPointF) -> None:
        self._step = min(max(round(point.x()), 1), self._axis_end)
        self._update_readout()


def _tick_every(last_step: int) -> int:
    """A round distance between ticks, in steps, so that there are four to ten of them."""
    most = last_step / 4
    power: int = 10 ** math.floor(math.log10(most))
    return next(power * stride for stride in _TICK_STRIDES if power * stride <= most)
