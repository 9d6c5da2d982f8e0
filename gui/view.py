"""A view: one page of the window, reached from the rail."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.context import Context
from gui.panel import Panel
from gui.pictures.export_button import ExportButton


class View(QWidget):
    """Subclasses lay out their panels and hand them to `add_panels`."""

    title = ""  # in the rail
    icon = ""  # a file of resources/icons, without .svg
    help = ""  # one sentence, in the rail's tooltip
    has_time_strip = False  # whether the steps of the run, which it follows, are drawn under it

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.setObjectName("page")
        self.setAccessibleName(self.title)

    def add_panels(self, *panels: Panel) -> None:
        """Have these drawn whenever this view is visible, and let those that are pictures be exported."""
        self.context.redraws.add(*panels)
        for panel in panels:
            if panel.is_picture:
                panel.header.addWidget(ExportButton(panel, self.context.bridge, self.context.redraws))
