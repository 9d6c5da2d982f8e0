"""The Anatomy view: the pictures of the paper, worked out by the code that trains; topics on the left, one picture."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QScrollArea, QStackedWidget

from gui.context import Context
from gui.panel import Panel
from gui.panels.anatomy.dot_product import DotProductTopic
from gui.panels.anatomy.label_smoothing import LabelSmoothingTopic
from gui.panels.anatomy.masks import MasksTopic
from gui.panels.anatomy.model_diagram import ModelTopic
from gui.panels.anatomy.noam import NoamTopic
from gui.panels.anatomy.positions import PositionsTopic
from gui.panels.anatomy.topic import Topic
from gui.theme import GRID
from gui.view import View


class AnatomyView(View):
    """Each topic is built when it is first looked at: the window's start and training pay nothing for it."""

    name = "anatomy"
    title = "Anatomy"
    icon = "anatomy"
    help = "How a Transformer works, picture by picture"

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        theme = context.theme
        self._makers: tuple[tuple[str, Callable[[], Topic]], ...] = (
            (ModelTopic.title, lambda: ModelTopic(theme)),
            (PositionsTopic.title, lambda: PositionsTopic(theme)),
            (MasksTopic.title, lambda: MasksTopic(context)),
            (DotProductTopic.title, lambda: DotProductTopic(context)),
            (LabelSmoothingTopic.title, lambda: LabelSmoothingTopic(theme)),
            (NoamTopic.title, lambda: NoamTopic(theme, context.workbench)),
        )
        self.built: dict[int, Topic] = {}
        self.topics = TopicList()
        self.topics.addItems([title for title, _ in self._makers])
        self.pages = QStackedWidget()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self.topics)
        layout.addWidget(self.pages, 1)
        self.topics.currentRowChanged.connect(self.show_topic)
        theme.changed.connect(self._resize)
        self._resize()

    @property
    def topic(self) -> Topic:
        """The one that is shown."""
        return self.built[self.topics.currentRow()]

    def show_topic(self, place: int) -> None:
        """Show the topic at this place of the list, built where it is not there yet."""
        if place not in self.built:
            topic = self.built[place] = self._makers[place][1]()
            self.pages.addWidget(_scrolling(topic))
            self.add_panels(topic, *topic.findChildren(Panel))
        page = self.built[place].parentWidget()
        while page is not None and self.pages.indexOf(page) < 0:
            page = page.parentWidget()
        assert page is not None
        self.pages.setCurrentWidget(page)

    def showEvent(self, event: QShowEvent) -> None:
        if not self.built:
            self.topics.setCurrentRow(0)
        self.topics.setFocus()

    def _resize(self) -> None:
        self.topics.setFixedWidth(self.context.theme.px(168))


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


def _scrolling(topic: Topic) -> QScrollArea:
    """A topic that can be scrolled where zoom leaves too little room."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setWidget(topic)
    return area
