"""A view: one page of the window, reached from the rail."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.context import Context
from gui.panel import Panel
from gui.pictures.export_button import ExportButton
from gui.widgets.scrolling_page import ScrollingPage


class View(QWidget):
    """Subclasses hand their panels to `add_panels`, and lay them out."""

    title = ""  # in the rail
    icon = ""  # a file of resources/icons, without .svg
    help = ""  # one sentence, in the rail's tooltip
    has_time_strip = False  # whether the steps of the run, which it follows, are drawn under it

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.setObjectName("page")
        self.setAccessibleName(self.title)
        self._lowest: dict[QWidget, int] = {}
        context.theme.changed.connect(self._keep_legible)

    def scrolling_column(self) -> QVBoxLayout:
        """Where the parts of a view go that scrolls as a whole."""
        page = ScrollingPage()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(page)
        return page.column

    def keep_legible(self, part: QWidget, lowest: int) -> None:
        """Never make it lower than so many pixels at 100 %: nobody could read it."""
        self._lowest[part] = lowest
        self._keep_legible()

    def add_panels(self, *panels: Panel) -> None:
        """Have these drawn whenever this view is visible, and let those that are pictures be exported.

        Before they are laid out: Tab comes to a button that a panel brings along after what it exports, to others last.
        """
        self.context.redraws.add(*panels)
        for panel in panels:
            if panel.is_picture:
                panel.header.addWidget(ExportButton(panel, self.context.bridge, self.context.redraws))

    def _keep_legible(self) -> None:
        for part, lowest in self._lowest.items():
            part.setMinimumHeight(self.context.theme.px(lowest))
