"""The Anatomy view: the paper's pictures, computed by the code that trains; a list of topics beside one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from gui.context import Context
from gui.panel import Panel
from gui.theme import GRID
from gui.view import View
from gui.widgets.scroll_areas import FramelessScrollArea
from gui.widgets.tab_order import insert_in_tab_order

if TYPE_CHECKING:
    from gui.panels.anatomy.topic import Topic
    from gui.panels.anatomy.topics import TopicFactories

_LEAST_WIDTH = 200  # pixels at 100 % of a topic, to read its sentences; if Setup leaves less room, the view scrolls


class AnatomyView(View):
    """Builds each topic when it is first opened, so that it costs neither the window's start nor training."""

    title = "Anatomy"
    icon = "anatomy"
    help = "How a Transformer works, picture by picture"
    has_time_strip = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._factories: TopicFactories = {}  # until the view is first shown
        self._pages: dict[type[Topic], QScrollArea] = {}
        self.built: dict[type[Topic], Topic] = {}
        self.topics = TopicList()
        self.pages = QStackedWidget()
        beside = QWidget()
        row = QHBoxLayout(beside)
        row.setContentsMargins(GRID, GRID, GRID, GRID)
        row.setSpacing(GRID)
        row.addWidget(self.topics)
        row.addWidget(self.pages, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(FramelessScrollArea(beside))
        self.topics.currentRowChanged.connect(self._show_row)
        context.theme.changed.connect(self._resize)
        self._resize()

    @property
    def topic(self) -> Topic:
        """The shown topic."""
        return self.built[self._kind_of_row(self.topics.currentRow())]

    def choose(self, kind: type[Topic]) -> None:
        """Choose a topic in the list."""
        self._list_topics()
        self.topics.setCurrentRow(list(self._factories).index(kind))

    def showEvent(self, event: QShowEvent) -> None:
        self._list_topics()
        self.topics.setFocus()

    def _list_topics(self) -> None:
        """List the topics and show the first, unless they are listed already."""
        if self._factories:
            return
        from gui.panels.anatomy.topics import topics_of  # 25 ms that the window's start need not wait for

        self._factories = topics_of(self.context)
        self.topics.addItems([kind.title for kind in self._factories])
        self.topics.setCurrentRow(0)

    def _kind_of_row(self, row: int) -> type[Topic]:
        return list(self._factories)[row]

    def _show_row(self, row: int) -> None:
        """Show the topic of this row, built if it is not there yet."""
        kind = self._kind_of_row(row)
        if kind not in self.built:
            topic = self.built[kind] = self._factories[kind]()
            self.add_panels(topic, *topic.findChildren(Panel))
            self._pages[kind] = FramelessScrollArea(topic)
            self._pages[kind].setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # the arrow keys scroll its sentences
            self._pages[kind].setAccessibleName(topic.title)
            self.pages.addWidget(self._pages[kind])
            insert_in_tab_order(self._pages[kind], after=self.topics)
            topic.put_code_last_in_tab_order()
        self.pages.setCurrentWidget(self._pages[kind])

    def _resize(self) -> None:
        self.topics.setFixedWidth(self.context.theme.px(168))
        self.pages.setMinimumWidth(self.context.theme.px(_LEAST_WIDTH))


class TopicList(QListWidget):
    """The topics; Space is left to Learn."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("topics")
        self.setAccessibleName("Topics")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setToolTip("Choose a picture with the arrow keys")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            event.ignore()
        else:
            super().keyPressEvent(event)
