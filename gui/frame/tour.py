"""The tour: a card that points at five parts of the window, one after another. The window stays usable behind it."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QRegion, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from gui.frame.rail import Rail
from gui.frame.transport import Transport
from gui.theme import GRID, Theme
from gui.views.train import TrainView
from gui.widgets.buttons import button, enable_or_release
from gui.widgets.labels import plain_label
from gui.widgets.scroll_areas import scroll_into_view

TEXT_WIDTH = 320  # pixels at 100 %
LINE = 2  # pixels, of the outline
_HIGHEST = 1_000  # pixels: more than any text needs
_VIEWPORT = "qt_scrollarea_viewport"  # Qt's object name for it
GEOMETRY_EVENTS = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide)


class TourStep(NamedTuple):
    """One thing worth knowing, and the parts of the window it is about; the card stands beside the last."""

    title: str
    text: str
    parts: tuple[QWidget, ...]


def tour_steps(train: TrainView, transport: Transport, rail: Rail) -> tuple[TourStep, ...]:
    """What a newcomer needs to know: what the window shows, then what to do."""
    return (
        TourStep(
            "One sentence, and where the model looks",
            "On top: what the model reads, what it should write (reference) and what it writes at this moment "
            "(free run); untrained, that is nonsense. In the picture each row is a word being written: the stronger "
            "a cell's colour, the more the model looks at the word at the head of that column. Dashed: words that "
            "belong together, where the data say so.",
            (train.sentence_row, train.attention_map),
        ),
        TourStep(
            "All heads at once",
            "A Transformer looks at a sentence in several ways side by side. Each way is called a head, and here "
            "are all of them, small. Click one to see it large.",
            (train.head_grid,),
        ),
        TourStep(
            "How it learns, and the way back",
            "The loss says how wrong the model is: it falls while the model learns. The vertical line is the "
            "playhead: drag it to an earlier step, and all the pictures above go back to that step with it.",
            (train.curves,),
        ),
        TourStep(
            "Another task, or data of your own",
            "Setup holds ready-made tasks, the size of the model and every other setting. Drop two text files on "
            "the window to learn from them; a dataset that makes its own pairs is a short Python file.",
            (rail.setup_button,),
        ),
        TourStep(
            "Learn",
            "Click Learn, or press Space: the model begins to learn, and everything moves with it. Once more pauses "
            "it. +1, +10 and +100 go that many steps. Every run is kept, under Runs. This tour opens again from Help "
            "(F1).",
            (transport.learn_button, *transport.step_buttons),
        ),
    )


class Tour(QFrame):
    """A card on `parent`, kept within its part `area`. Enter, arrows or buttons go on and back; Space is left to Learn.

    `step_shown` is emitted when another step is shown, `ended` when the tour was completed or skipped.
    """

    step_shown = Signal()
    ended = Signal()

    def __init__(self, theme: Theme, steps: tuple[TourStep, ...], area: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._steps, self._area, self._parent = theme, steps, area, parent
        self._index = 0
        self._watched: list[QWidget] = []
        self.outline = _outline(parent)
        self.count_label = plain_label(role="muted")
        self.enter_label = plain_label(role="muted")
        self.title_label = plain_label(role="title")
        self.text_label = plain_label(wraps=True)
        self.text_label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.skip_button = button("Skip", "End the tour (Esc). Help (F1) opens it again", role="flat", name="Skip tour")
        self.back_button = button("Back", "Previous step (left arrow)")
        self.next_button = button("Next", "Next step; after the last one the tour ends (Enter)")
        self.setObjectName("tour")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._lay_out()
        self._connect()
        self._resize_to_zoom()
        self.hide()

    @property
    def step(self) -> TourStep:
        """The step being shown."""
        return self._steps[self._index]

    @property
    def is_last(self) -> bool:
        return self._index == len(self._steps) - 1

    def start(self) -> None:
        """Show the first step."""
        self.show()
        self.raise_()
        self.setFocus()
        self._go_to(0)

    def end(self) -> None:
        """Hide the tour and leave Space and Esc to the window again."""
        self._watch()
        self.hide()
        self.outline.hide()
        self.ended.emit()

    def end_if_last_step(self) -> None:
        """End the tour if its last step is shown: learning has begun, as that step suggests."""
        if self.isVisible() and self.is_last:
            self.end()

    def go_forward(self) -> None:
        if self.is_last:
            self.end()
        else:
            self._go_to(self._index + 1)

    def go_back(self) -> None:
        self._go_to(max(self._index - 1, 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle arrows and Enter; leave every other key, above all Space, to the window."""
        match event.key():
            case Qt.Key.Key_Right | Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.go_forward()
            case Qt.Key.Key_Left:
                self.go_back()
            case _:
                super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow a part of this step, or a widget around it, that has moved."""
        if event.type() in GEOMETRY_EVENTS:
            self._update_position()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Move the card when its text or zoom has changed its size."""
        super().resizeEvent(event)
        self._update_position()

    def _go_to(self, index: int) -> None:
        self._index = index
        step, count = self.step, f"{index + 1} of {len(self._steps)}"
        self.count_label.setText(f"Tour · {count}")
        self.enter_label.setText("Enter ends it" if self.is_last else "Enter continues")
        self.title_label.setText(step.title)
        self.text_label.setText(step.text)
        self.next_button.setText("Done" if self.is_last else "Next")
        self.next_button.setAccessibleName(self.next_button.text())
        self.skip_button.setHidden(self.is_last)
        enable_or_release(self.back_button, "" if index else "This is the first step", to=self)
        self.setAccessibleName(f"Tour, {count}: {step.title}")
        self.setAccessibleDescription(step.text)
        self.step_shown.emit()
        scroll_into_view(step.parts[-1])
        self._watch(*step.parts)
        self._update_position()

    def _watch(self, *parts: QWidget) -> None:
        """Watch these parts and the widgets around them for moves, without a timer: a still window costs nothing."""
        for widget in self._watched:
            widget.removeEventFilter(self)
        around = [widget for part in parts for widget in _ancestors_up_to(part, self._parent)]
        # Not Qt's own viewports: PySide may drop such a wrapper while it is watched. The page inside moves with it.
        self._watched = [widget for widget in around if widget.objectName() != _VIEWPORT]
        for widget in self._watched:
            widget.installEventFilter(self)

    def _update_position(self) -> None:
        """Outline the parts of this step and put the card beside them; if another view hides them, leave it there."""
        parts = [_visible_rect(self._parent, part) for part in self.step.parts if part.isVisible()]
        rects = [rect for rect in parts if not rect.isEmpty()]
        area = _rect_in(self._parent, self._area)
        self.outline.hide()  # else the old line stays painted outside the new mask
        if rects:
            self.outline.setGeometry(self._parent.rect())
            self.outline.setMask(_frame(rects, self._parent.rect()))
            self.outline.setVisible(self.isVisible())
            self.move(position_beside(rects, self.size(), area))
        else:
            self.move(_moved_inside(area, QRect(self.pos(), self.size())).topLeft())

    def _resize_to_zoom(self) -> None:
        """Give every step's card the height of the longest text: one that changed height would jump as it is shown."""
        width, metrics = self._theme.px(TEXT_WIDTH), self.text_label.fontMetrics()
        room, wraps = QRect(0, 0, width, _HIGHEST), Qt.TextFlag.TextWordWrap
        heights = [metrics.boundingRect(room, wraps, step.text).height() for step in self._steps]
        self.text_label.setFixedSize(width, max(heights))

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self.count_label, 1)
        head.addWidget(self.enter_label)
        foot = QHBoxLayout()
        foot.setSpacing(GRID)
        foot.addWidget(self.skip_button)
        foot.addStretch(1)
        foot.addWidget(self.back_button)
        foot.addWidget(self.next_button)
        for one in (self.skip_button, self.back_button, self.next_button):
            one.setAutoDefault(True)  # Enter presses the button that has the focus
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        layout.addLayout(head)
        layout.addWidget(self.title_label)
        layout.addWidget(self.text_label)
        layout.addLayout(foot)

    def _connect(self) -> None:
        self.skip_button.clicked.connect(self.end)
        self.back_button.clicked.connect(self.go_back)
        self.next_button.clicked.connect(self.go_forward)
        self._theme.changed.connect(self._resize_to_zoom)


def position_beside(parts: list[QRect], size: QSize, area: QRect) -> QPoint:
    """Where a card covers least of the parts: right of the last part, left, below or above it, or at its corner."""
    last, gap = parts[-1], 2 * GRID
    corners = (
        QPoint(last.right() + gap, last.top()),
        QPoint(last.left() - gap - size.width(), last.top()),
        QPoint(last.left(), last.bottom() + gap),
        QPoint(last.left(), last.top() - gap - size.height()),
        last.bottomRight(),
    )
    cards = [_moved_inside(area, QRect(corner, size)) for corner in corners]
    covered = [sum(_num_pixels(card & part) for part in parts) for card in cards]
    return cards[covered.index(min(covered))].topLeft()


def _num_pixels(rect: QRect) -> int:
    return rect.width() * rect.height()


def _moved_inside(area: QRect, card: QRect) -> QRect:
    """The card, moved into `area` as little as possible; one that is too large keeps its upper left corner visible."""
    left = max(area.left(), min(card.left(), area.right() - card.width() - GRID))
    top = max(area.top(), min(card.top(), area.bottom() - card.height() - GRID))
    return QRect(QPoint(left, top), card.size())


def _frame(parts: list[QRect], window: QRect) -> QRegion:
    """A line around the parts, inside the window; parts that lie side by side share one."""
    outer, inner = QRegion(), QRegion()
    for part in parts:
        outer += _expanded(part, GRID // 2 + LINE) & window
        inner += _expanded(part, GRID // 2) & _expanded(window, -LINE)
    return outer - inner


def _expanded(rect: QRect, by: int) -> QRect:
    return rect.adjusted(-by, -by, by, by)


def _outline(parent: QWidget) -> QFrame:
    """A frame that is drawn only inside its mask, and that the mouse passes through."""
    made = QFrame(parent)
    made.setObjectName("outline")
    made.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    made.hide()
    return made


def _rect_in(parent: QWidget, widget: QWidget) -> QRect:
    return QRect(widget.mapTo(parent, QPoint(0, 0)), widget.size())


def _visible_rect(parent: QWidget, widget: QWidget) -> QRect:
    """The part of the widget that is not scrolled out of view."""
    rect = _rect_in(parent, widget)
    for around in _ancestors_up_to(widget, parent):
        rect &= _rect_in(parent, around)
    return rect


def _ancestors_up_to(widget: QWidget | None, parent: QWidget) -> list[QWidget]:
    """The widget and its ancestors, up to and including `parent`."""
    found = []
    while widget is not None and widget is not parent:
        found.append(widget)
        widget = widget.parentWidget()
    return [*found, parent]
