"""What the panels of the chosen runs share: they show one comparison, drawn when it is another one."""

from __future__ import annotations

from typing import Literal

from gui.panel import Panel
from gui.runs.compared import Comparison
from gui.theme import Theme


class ComparisonPanel(Panel):
    """Shows the comparison it was given last."""

    redraw_on = ()  # its view marks it
    is_picture = True

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.comparison: Comparison | None = None

    def show_comparison(self, comparison: Comparison | None) -> None:
        """Show these runs; None: say how some are chosen."""
        self.comparison = comparison
        self.mark_dirty()

    def why_nothing(self, looked_at: Literal["probed", "validated"], is_any: bool, nothing_in_common: str) -> str:
        """Where some were looked at, that they have nothing in common; empty where no runs are chosen."""
        if self.comparison is None:  # the panel's own sentence says what to do
            return ""
        return nothing_in_common if is_any else self.comparison.why_none_was(looked_at)
