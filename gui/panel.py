"""The base class of panels: a framed picture of a run at a step. "Live" only means the newest step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QMargins, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from core.events import Event
from core.history import History
from gui.theme import GRID, Theme
from gui.widgets.dynamic_labels import TitleLabel
from gui.widgets.labels import plain_label
from gui.widgets.tab_order import put_first_in_tab_order

Table = Sequence[Sequence[object]]  # the first row names the columns


class Panel(QFrame):
    """Subclasses put their widgets into `body` (and `header`), and draw in `show_step`.

    Widgets that are costly to make, such as plots, are made in `build_body`.

    The `RedrawScheduler` draws a panel when it is dirty and visible. An event of a type in `redraw_on`, a move of the
    playhead, another selection or another theme makes it dirty.
    """

    redraw_requested = Signal()  # dirty because of what the user did: to be drawn at once
    title = ""
    empty_sentence = "Nothing to show yet."
    redraw_on: tuple[type[Event], ...] = (Event,)
    is_picture = False  # whether it can be exported; then it implements `numbers`

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.is_dirty = True
        self._optional_part: QWidget | None = None
        self._full_height = 0
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
        self.body.setSpacing(GRID // 2)
        self.empty_label = plain_label("Drawing …", role="muted", wraps=True)  # until the first `show_step`
        self.empty_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedLayout()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID // 2, GRID, GRID // 2)
        layout.setSpacing(GRID // 2)
        self.under_header = QVBoxLayout()  # for controls that are not part of the picture
        layout.addLayout(self.header)
        layout.addLayout(self.under_header)
        layout.addLayout(self._stack, 1)
        self._stack.addWidget(self.empty_label)  # now that the stack has a parent: else the label is shown as a window
        self._stack.addWidget(self.content)

    def build_body(self) -> None:
        """Fill `body` just before it is first shown, if it is empty then: most views are never opened."""

    def show_step(self, history: History, step: int) -> None:
        """Draw the run at `step`. Call `show_body` before drawing, or `show_empty` if there is nothing to draw."""
        raise NotImplementedError

    def draw_in_pieces(self, history: History, step: int) -> Iterator[None]:
        """Draw in pieces, each painted before the next is drawn. A panel that is slow to draw yields more than one."""
        self.show_step(history, step)
        yield

    def numbers(self) -> Table:
        """The numbers behind the picture."""
        raise NotImplementedError

    def export_widgets(self) -> Sequence[QWidget]:
        """The widgets of the exported picture, top to bottom, whole even if they do not fit on the screen."""
        return (self.content,)

    @contextmanager
    def exporting(self) -> Iterator[None]:
        """Within the block the content is laid out as for export. The caller draws it before, and again afterwards."""
        size = self.content.size()
        if self._optional_part is not None and self._optional_part.isHidden():
            self._optional_part.show()
            self.content.resize(size.grownBy(QMargins(0, 0, 0, self._height_of(self._optional_part))))
        try:
            yield
        finally:
            self.content.resize(size)
            self._fit()

    def hide_below_height(self, part: QWidget, height: int) -> None:
        """Hide this part of the body while the panel is lower than `height` pixels (at 100 % zoom).

        What is under its header does not count.
        """
        self._optional_part, self._full_height = part, height
        self.theme.changed.connect(self._fit)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        if self._optional_part is not None and not self._optional_part.isHidden():
            least.setHeight(least.height() - self._height_of(self._optional_part))
        return least

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self._optional_part is not None:
            height = self.height() - self.under_header.geometry().height()
            self._optional_part.setVisible(height >= self.theme.px(self._full_height))

    def _height_of(self, part: QWidget) -> int:
        return max(part.minimumHeight(), part.minimumSizeHint().height()) + self.body.spacing()

    @property
    def is_empty(self) -> bool:
        """Whether a sentence is shown instead of a picture."""
        return self._stack.currentIndex() == 0

    def show_empty(self, sentence: str = "") -> None:
        """Show a sentence instead of blank axes, under the plain title: one that named a step no longer applies."""
        self.set_title(self.title)
        self.empty_label.setText(sentence or self.empty_sentence)
        self._stack.setCurrentIndex(0)

    def show_body(self) -> None:
        if self.body.count() == 0:
            self.build_body()
            put_first_in_tab_order(self.content, self)  # and then to the buttons of its header
        self._stack.setCurrentIndex(1)

    def set_title(self, title: str) -> None:
        if title != self.title_label.text():
            self.title_label.setText(title)
            self.setAccessibleName(title)

    def mark_dirty(self) -> None:
        """Have the panel drawn at once: the user chose something else."""
        self.is_dirty = True
        self.redraw_requested.emit()

    def mark_for_next_round(self) -> None:
        """Have the panel drawn in the next round, since there is something new to show."""
        self.is_dirty = True
