"""The base class of views, the pages of the window that the rail opens."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.context import Context
from gui.panel import Panel
from gui.pictures.export_button import ExportButton
from gui.widgets.scrolling_page import ScrollingPage


class View(QWidget):
    """Subclasses pass their panels to `add_panels`, then lay them out."""

    title = ""  # as the rail shows it
    icon = ""  # a file of resources/icons, without .svg
    help = ""  # one sentence for the rail's tooltip
    has_time_strip = False  # whether the time strip is shown below it

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.setObjectName("page")
        self.setAccessibleName(self.title)
        self._min_heights: dict[QWidget, int] = {}
        context.theme.changed.connect(self._apply_min_heights)

    def scrolling_column(self) -> QVBoxLayout:
        """The layout for the parts of a view that scrolls as a whole."""
        page = ScrollingPage()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(page)
        return page.column

    def keep_min_height(self, part: QWidget, height: int) -> None:
        """Keep a part at least `height` pixels high (at 100 % zoom), so that it stays readable."""
        self._min_heights[part] = height
        self._apply_min_heights()

    def add_panels(self, *panels: Panel) -> None:
        """Have these drawn while this view is visible, and give those that are pictures an export button.

        Call this before laying them out: then Tab reaches each export button right after its panel, not last of all.
        """
        self.context.redraw_scheduler.add(*panels)
        for panel in panels:
            if panel.is_picture:
                panel.header.addWidget(ExportButton(panel, self.context.bridge, self.context.redraw_scheduler))

    def _apply_min_heights(self) -> None:
        for part, height in self._min_heights.items():
            part.setMinimumHeight(self.context.theme.px(height))
