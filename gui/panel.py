"""A panel: a framed picture of a run at a step. "Live" only means the newest step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QMargins, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from core.events import Event
from core.history import History
from gui.theme import GRID, Theme
from gui.widgets.labels import plain_label
from gui.widgets.moving_labels import TitleLabel

Table = Sequence[Sequence[object]]  # the first row names the columns


class Panel(QFrame):
    """Subclasses put their widgets into `body` (and `header`), and draw in `show_step`; what costs much to make, as a
    plot does, in `furnish`.

    They are drawn when dirty and visible, by `gui.redraw.Redraws`: when an event of `redraw_on` arrived, the playhead
    or the selection moved, or the theme changed.
    """

    marked = Signal()  # somebody waits for it to be drawn
    title = ""
    empty_sentence = "Nothing to show yet."
    redraw_on: tuple[type[Event], ...] = (Event,)
    is_picture = False  # whether it can be exported: it then has `numbers`

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.is_dirty = True
        self._spare: QWidget | None = None
        self._lowest_whole = 0
        self.setObjectName("panel")
        self.setAccessibleName(self.title)
        self.header = QHBoxLayout()
        self.header.setSpacing(GRID)
        self.title_label = TitleLabel()
        self.title_label.setText(self.title)
        self.header.addWidget(self.title_label)
        self.header.addStretch(1)
        self.content = QWidget()  # what is drawn, without title and buttons
        self.body = QVBoxLayout(self.content)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.empty_label = plain_label("Being drawn …", role="muted", wraps=True)  # what the run has nobody knows yet
        self.empty_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedLayout()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID // 2, GRID, GRID // 2)
        layout.setSpacing(GRID // 2)
        self.under_header = QVBoxLayout()  # for what is no part of the picture
        layout.addLayout(self.header)
        layout.addLayout(self.under_header)
        layout.addLayout(self._stack, 1)
        self._stack.addWidget(self.empty_label)  # which shows it: without a parent it would be a window of its own
        self._stack.addWidget(self.content)

    def furnish(self) -> None:
        """Put widgets into a body that has none, before it is shown for the first time: most views nobody opens."""

    def show_step(self, history: History, step: int) -> None:
        """Draw the run at `step`. Call `show_empty` where there is nothing, `show_body` before drawing."""
        raise NotImplementedError

    def pieces(self, history: History, step: int) -> Iterator[None]:
        """`show_step` in pieces, each painted before the next is drawn; a panel that costs much makes more of them."""
        self.show_step(history, step)
        yield

    def numbers(self) -> Table:
        """The numbers behind what is drawn."""
        raise NotImplementedError

    def exported(self) -> Sequence[QWidget]:
        """What is in its picture, one below the other: all of it, however little there is room for on the screen."""
        return (self.content,)

    @contextmanager
    def on_paper(self) -> Iterator[None]:
        """What its picture has otherwise than the screen, meanwhile; it is drawn before, and again afterwards."""
        size = self.content.size()
        if self._spare is not None and self._spare.isHidden():
            self._spare.show()
            self.content.resize(size.grownBy(QMargins(0, 0, 0, self._height_of(self._spare))))
        try:
            yield
        finally:
            self.content.resize(size)
            self._fit()

    def give_way(self, spare: QWidget, lowest: int) -> None:
        """Leave this part of the body out where the panel is lower than so many pixels at 100 %, which it may be."""
        self._spare, self._lowest_whole = spare, lowest
        self.theme.changed.connect(self._fit)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        if self._spare is not None and not self._spare.isHidden():
            least.setHeight(least.height() - self._height_of(self._spare))
        return least

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self._spare is not None:
            self._spare.setVisible(self.height() >= self.theme.px(self._lowest_whole))

    def _height_of(self, part: QWidget) -> int:
        return max(part.minimumHeight(), part.minimumSizeHint().height()) + self.body.spacing()

    @property
    def is_empty(self) -> bool:
        """Whether there is one sentence instead of a picture."""
        return self._stack.currentIndex() == 0

    def show_empty(self, sentence: str = "") -> None:
        """One sentence instead of a blank axis, under the title alone: what it said of a step is of no picture now."""
        self.set_title(self.title)
        self.empty_label.setText(sentence or self.empty_sentence)
        self._stack.setCurrentIndex(0)

    def show_body(self) -> None:
        if self.body.count() == 0:
            self.furnish()
        self._stack.setCurrentIndex(1)

    def set_title(self, title: str) -> None:
        if title != self.title_label.text():
            self.title_label.setText(title)
            self.setAccessibleName(title)

    def mark_dirty(self) -> None:
        """Draw at once: somebody chose something else."""
        self.is_dirty = True
        self.marked.emit()

    def mark_in_turn(self) -> None:
        """Draw when the turn comes that the cost of drawing allows: there is news."""
        self.is_dirty = True
