"""The panel of curves: the loss or another metric, the learning rate and the probes over one axis of steps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QSize

from core.history import History
from gui.panel import Table
from gui.panels.learning.learning_rate_plot import LearningRatePlot
from gui.panels.learning.loss_plot import LossPlot
from gui.panels.learning.metric_labels import LOSS, metric_axis_label, metric_heading, metric_label, with_thousands
from gui.panels.learning.metric_plot import MetricPlot
from gui.panels.learning.notice_bar import NoticeBar
from gui.panels.learning.probe_ticks import ProbeTicks
from gui.panels.learning.step_panel import HELP, StepPanel
from gui.panels.learning.validation_plot import ValidationPlot
from gui.playhead import Playhead
from gui.replay import Replay
from gui.theme import Theme
from gui.widgets.combo_boxes import combo_box, set_items

_RATE = "train/learning_rate"
_CHOICE_HELP = "Which metric of the run is drawn over its steps, the plugin's own included"
_FIGURE = QSize(720, 432)  # pixels at 100 %: at the width of a page, its text is as large as the page's
_ONLY_LOSS = "After the run's first validation there are more curves to choose from"


class Curves(StepPanel):
    """Draws the whole run so far, with the playhead at step s."""

    title = "Loss, nats per target token"
    empty_sentence = "The loss appears here once the data are prepared and the first step is taken."
    is_picture = True

    def __init__(self, theme: Theme, playhead: Playhead, replay: Replay) -> None:
        super().__init__(theme, playhead, replay)
        self._history = History()  # the drawn one
        self._metric = LOSS
        self.loss = LossPlot(theme, playhead)
        self.metric_plot: MetricPlot | None = None  # made when a metric other than the loss is first chosen
        self.learning_rate = LearningRatePlot(theme, playhead)
        self.ticks = ProbeTicks(theme, playhead)
        for plot in (self.loss, self.learning_rate, self.ticks):
            self.connect_plot(plot)
        self.notices = NoticeBar(theme)
        self.metric_combo = combo_box("Curve", _CHOICE_HELP)
        for widget in (self.notices.chip, self.metric_combo, self.rewind_button, self.replay_button):
            self.header.addWidget(widget)
        self.under_header.addWidget(self.notices)
        self.body.setSpacing(0)
        self.body.addWidget(self.loss, 1)
        self.body.addWidget(self.learning_rate)
        self.body.addWidget(self.ticks)
        self._show_plot(self.loss)
        self._fill_metric_combo(self._history)
        self.metric_combo.activated.connect(self._choose)
        theme.changed.connect(self._let_combo_shrink)  # now: until the curves are drawn again, its text would be cut

    def show_step(self, history: History, step: int) -> None:
        """Draw the run with the playhead at `step`, and the notices that hold there."""
        self._fill_metric_combo(history)
        if history.prepared is None and history.last_step == 0:
            self.show_empty()
            self.set_title(metric_heading(self._metric))
            return
        self.show_body()
        self._history = history
        self.set_title(metric_heading(self._metric) + figures_at(history, step, self._metric))
        self.show_plots(history, step)
        self.notices.show_step(history, step)

    def numbers(self) -> Table:
        """A row for each step, a column for each metric; empty where a step has no value."""
        curves = {name: self._history.curve(name) for name in self._history.metric_names}
        values = {name: dict(zip(steps.tolist(), made.tolist(), strict=True)) for name, (steps, made) in curves.items()}
        steps = sorted({step for known in values.values() for step in known})
        lines = ([int(step), *(known.get(step, "") for known in values.values())] for step in steps)
        return [["step", *values], *lines]

    @contextmanager
    def exporting(self) -> Iterator[None]:
        """Within the block the figure has a fixed size, and labelled axes, since no title is exported.

        The title names no figures at the playhead, which the exported figure does not have.
        """
        self.set_title(metric_heading(self._metric))
        plot = self.plots[0]
        plot.setLabel("left", metric_axis_label(self._metric))
        plot.axis_name.hide()
        plot.setLabel("bottom", "step")
        with super().exporting():
            self.content.resize(self.theme.px(_FIGURE.width()), self.theme.px(_FIGURE.height()))
            self.show_plots(self._history, self._playhead.step)
            try:
                yield
            finally:
                plot.axis_name.show()
                plot.getAxis("bottom").showLabel(False)
                plot.getAxis("left").showLabel(False)
                if self.metric_plot is not None:
                    self.metric_plot.name_axis()

    def _fill_metric_combo(self, history: History) -> None:
        """Offer the loss, the metrics of the run's validations, and the chosen metric even if this run lacks it."""
        measured = [name for name in history.metric_names if name.startswith("valid/")]
        names = dict.fromkeys((LOSS, *measured, self._metric))
        set_items(self.metric_combo, [(metric_label(name).title, name) for name in names])
        self.metric_combo.setCurrentIndex(self.metric_combo.findData(self._metric))
        self.metric_combo.setEnabled(len(names) > 1)
        self.metric_combo.setToolTip(_CHOICE_HELP if len(names) > 1 else _ONLY_LOSS)
        self._let_combo_shrink()

    def _let_combo_shrink(self) -> None:
        """Let the combo box shrink to its current text in a narrow panel; its list still shows all texts whole."""
        combo, width_of = self.metric_combo, self.metric_combo.fontMetrics().horizontalAdvance
        longest = max(width_of(combo.itemText(index)) for index in range(combo.count()))
        combo.setMinimumWidth(combo.sizeHint().width() - longest + width_of(combo.currentText()))

    def _choose(self, index: int) -> None:
        """Draw this metric instead of the other."""
        self._metric = self.metric_combo.itemData(index)
        self._show_plot(self.loss if self._metric == LOSS else self._plot_of_metric())
        self.mark_dirty()

    def _plot_of_metric(self) -> MetricPlot:
        """The plot for the chosen metric, made when it is first needed."""
        if self.metric_plot is None:
            self.metric_plot = MetricPlot(self.theme, self._playhead)
            self.connect_plot(self.metric_plot)
            self.body.insertWidget(0, self.metric_plot, 1)
        self.metric_plot.show_metric(self._metric)
        return self.metric_plot

    def _show_plot(self, shown: ValidationPlot) -> None:
        """Show this plot instead of the other, and link the axes of steps to its own."""
        self.loss.setVisible(shown is self.loss)
        if self.metric_plot is not None:
            self.metric_plot.setVisible(shown is self.metric_plot)
        self.plots = (shown, self.learning_rate, self.ticks)
        for plot in (self.learning_rate, self.ticks):
            plot.setXLink(shown)
            plot.setMouseEnabled(x=False, y=False)  # the wheel acts only on the plot they are linked to
        self.setToolTip(f"{metric_label(self._metric).meaning} {HELP}")


def figures_at(history: History, step: int, metric: str) -> str:
    """The figures at the playhead, for the title; a figure of an earlier step names it. Empty before the first step."""
    metrics = {"train": "train/loss"} if metric == LOSS else {}
    metrics |= {"valid": metric, "learning rate": _RATE}
    known = []
    for name, of in metrics.items():
        if (newest := history.newest_value(of, step)) is not None:
            before = "" if newest.step == step else f" at {newest.step:,}"
            rounded = f"{newest.value:.3g}" if of == _RATE else f"{newest.value:#.3g}".rstrip(".")  # 4.00, not 4
            known.append(f"{name} {with_thousands(rounded)}{before}")
    return f" · step {step:,}: {', '.join(known)}" if known else ""
