"""The base class of panels that compare the chosen runs: drawn again when the comparison changes."""

from __future__ import annotations

from typing import Literal

from gui.panel import Panel
from gui.runs.comparison import Comparison
from gui.theme import Theme


class ComparisonPanel(Panel):
    """A panel that shows the comparison it was last given."""

    redraw_on = ()  # `show_comparison` marks it, no event does
    is_picture = True

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.comparison: Comparison | None = None
        self.why_none = ""  # why there is none although runs are chosen

    def show_comparison(self, comparison: Comparison | None, why_none: str = "") -> None:
        """Show this comparison; None says why there is none, or how to choose runs."""
        self.comparison, self.why_none = comparison, why_none
        self.mark_dirty()

    def why_nothing(self, examined: Literal["probed", "validated"], is_any: bool, nothing_in_common: str) -> str:
        """Why nothing is shown: `nothing_in_common` if any run was probed or validated; empty if no run is chosen."""
        if self.comparison is None:  # if no run is chosen, the panel's own sentence says what to do
            return self.why_none
        return nothing_in_common if is_any else self.comparison.why_empty(examined)
