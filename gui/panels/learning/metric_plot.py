"""The plot of one metric of the validations over steps, other than the loss, with its limit."""

from __future__ import annotations

from core.history import History
from gui.panels.learning.metric_labels import metric_heading, metric_label, with_thousands
from gui.panels.learning.validation_plot import HEADROOM, CurvePoints, Level, ValidationPlot, finite_values
from gui.playhead import Playhead
from gui.theme import Theme

_LEVELS = {"limit": Level(0.02, "Limit: the plugin says that no model can do better on these data")}


class MetricPlot(ValidationPlot):
    """Draws the metric that `show_metric` was last given."""

    def __init__(self, theme: Theme, playhead: Playhead) -> None:
        super().__init__(theme, playhead, ("valid",), _LEVELS)
        self._title = ""
        self.apply_theme()

    def show_metric(self, metric: str) -> None:
        """Draw this metric (its name in validations) from now on."""
        self.metric_name, self._title = metric, metric_label(metric).title
        self.name_axis()
        self.setAccessibleName(f"{metric_heading(metric)} over steps")

    def name_axis(self) -> None:
        """Write the metric along the y axis."""
        self.setLabel("left", self._title)

    def place_levels(self, history: History) -> None:
        self.place_limit(history, lambda limit: f"limit {with_thousands(f'{limit:z.3g}')}")

    def range_of(self, curves: CurvePoints) -> tuple[float, float]:
        limit = self._levels["limit"]
        levels = [limit.value()] if limit.isVisible() else []
        seen = finite_values(curves, [*levels, 0.0])
        bottom, top = float(seen.min()) * HEADROOM, float(seen.max()) * HEADROOM
        return bottom, top if bottom < top else 1.0

    def hint(self, history: History) -> str:
        if any(self.metric_name in metrics for metrics in history.validations.values()):
            return ""
        if history.validations:
            return "The validations of this run do not measure this: choose another curve above."
        is_new = history.last_step == 0
        what_to_do = ": press Space to learn" if is_new and history.state in ("ready", "paused") else ""
        return f"This curve begins with the first validation{what_to_do}."
