"""A stack of pages, with a button for each page above it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QStackedWidget, QVBoxLayout, QWidget

from gui.theme import GRID
from gui.widgets.buttons import button
from gui.widgets.flow_layout import FlowLayout


class TabbedPages(QWidget):
    """Shows one of its pages. `pages` are the text and the help text of each page's button."""

    page_changed = Signal()  # another page is shown

    def __init__(self, name: str, *pages: tuple[str, str]) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._pages = QStackedWidget()
        self._group = QButtonGroup(self)
        buttons = QWidget()
        self.button_row = FlowLayout(buttons, GRID // 2, last_at_right=False)  # subclasses may append widgets
        for number, (title, help) in enumerate(pages):
            made = button(title, help, role="flat")
            made.setCheckable(True)
            self._group.addButton(made, number)
            self.button_row.addWidget(made)
        self.buttons[0].setChecked(True)
        self._group.idClicked.connect(self._pages.setCurrentIndex)
        self._pages.currentChanged.connect(self.page_changed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID // 2)
        layout.addWidget(buttons)
        layout.addWidget(self._pages, 1)

    def minimumSizeHint(self) -> QSize:
        """Includes the height that the shown page needs at this width, since a splitter ignores height for width."""
        page = self._pages.currentWidget()
        column = page.layout() if page is not None else None
        assert column is not None
        height = (
            self.button_row.heightForWidth(self.width()) + GRID // 2 + column.totalMinimumHeightForWidth(self.width())
        )
        return QSize(super().minimumSizeHint().width(), height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    @property
    def current_index(self) -> int:
        """The number of the page that is shown."""
        return self._pages.currentIndex()

    @property
    def buttons(self) -> list[QAbstractButton]:
        """One for each page."""
        return self._group.buttons()

    def add(self, page: QWidget) -> None:
        """Add the page of the next button."""
        self._pages.addWidget(page)

    def show_page(self, index: int) -> None:
        """Show a page, as a click on its button does."""
        self._group.button(index).click()


def column_of(*widgets: QWidget) -> QWidget:
    """Widgets one below the other, as one page."""
    made = QWidget()
    layout = QVBoxLayout(made)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(GRID)
    for widget in widgets:
        layout.addWidget(widget)
    return made
