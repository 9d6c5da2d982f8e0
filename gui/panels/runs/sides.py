"""Several runs side by side, in three ways: losses and settings, a head of each, what each writes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gui.context import Context
from gui.pages import Pages, stacked
from gui.panel import Panel
from gui.panels.attention.head_chooser import HeadChooser
from gui.panels.runs.attention import RunAttention
from gui.panels.runs.comparison import RunComparison
from gui.panels.runs.translations import RunTranslations
from gui.runs.compared import LETTERS, Comparison, read_compared
from gui.runs.rows import RunRow


class RunSides(Pages):
    """Reads the runs beside the GUI thread, and anew when one of them has grown."""

    def __init__(self, context: Context) -> None:
        super().__init__("What is compared", "Curves and settings", "Attention", "Translations")
        self._bridge = context.bridge
        self._rows: list[RunRow] = []  # of the comparison that is shown, or being read
        self.comparison = RunComparison(context.theme)
        self.attention = RunAttention(context.theme, context.selection)
        self.head_chooser = HeadChooser(context.theme, context.selection, self.attention.first_shown)
        self.translations = RunTranslations(context.theme)
        for page in (self.comparison, stacked(self.head_chooser, self.attention), self.translations):
            self.add(page)

    @property
    def panels(self) -> tuple[Panel, ...]:
        """All that is to be drawn."""
        return self.comparison, self.head_chooser, self.attention, self.translations

    def compare(self, rows: Sequence[RunRow]) -> None:
        """Compare as many of these as there are letters, where there are several that can be read."""
        readable = [row for row in rows if not row.problem][: len(LETTERS)]
        if readable == self._rows:
            return
        self._rows = readable
        if len(readable) < 2:
            self._show(None)
            return
        read = partial(read_compared, [row.path for row in readable])
        self._bridge.call(read, partial(self._take, readable))

    def _take(self, rows: list[RunRow], comparison: Comparison) -> None:
        if rows == self._rows:  # no others were chosen meanwhile
            self._show(comparison)

    def _show(self, comparison: Comparison | None) -> None:
        for panel in (self.comparison, self.attention, self.translations):
            panel.show_comparison(comparison)
        self.head_chooser.mark_dirty()
