"""Small widgets made the same way everywhere: labels without rich text, buttons with a name and a help."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QHelpEvent, QKeyEvent, QPainter, QPaintEvent, QPalette, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSplitter,
    QTableWidget,
    QToolButton,
    QToolTip,
    QWidget,
)

from gui.icons import icon
from gui.theme import GRID, Theme

_LEGIBLE_TITLE = 12  # letters of a title that are always seen


def plain_label(text: str = "", *, role: str = "") -> QLabel:
    """A label that shows `<unk>` as it is (QLabel would take it for rich text)."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        label.setProperty("role", role)
    return label


def as_written(text: str) -> str:
    """A tooltip that shows `<b>` as it is."""
    return f"<span>{escape(text)}</span>" if "<" in text else text


def sentence_label(name: str, *, role: str = "") -> QLabel:
    """A plain label that wraps its lines; `name` is its accessible name."""
    label = plain_label(role=role)
    label.setWordWrap(True)
    label.setAccessibleName(name)
    return label


def copyable_label(role: str) -> QLabel:
    """A plain label that wraps its lines, whose text can be selected with the mouse."""
    label = plain_label(role=role)
    label.setWordWrap(True)
    label.setTextInteractionFlags(label.textInteractionFlags().TextSelectableByMouse)
    return label


class FigureLabel(QLabel):
    """A plain label for figures that change all the time.

    QLabel has the whole window laid out anew at each text; this one only where its text needs more room, or much less.
    It fills its own background, the surface of bars: else all that it lies on is painted with it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def setText(self, text: str) -> None:
        if text != self.text():
            super().setText(text)
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        metrics, room = self.fontMetrics(), self.maximumSize()
        needed = QSize(metrics.horizontalAdvance(self.text()) + 1, metrics.height())  # its hint is never below its size
        if needed.height() != room.height() or not needed.width() <= room.width() <= 4 / 3 * needed.width():
            self.setFixedSize(needed)


class ElidedLabel(QLabel):
    """A plain label that leaves out its middle where there is no room for all of it; its tooltip has the whole."""

    def __init__(self, *, role: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        if role:
            self.setProperty("role", role)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(as_written(text))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        seen = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, self.contentsRect().width())
        _paint_text(self, seen)


class TitleLabel(QWidget):
    """A title that is cut where there is no room for all of it, before its step; resting on it then says the whole.

    As of `FigureLabel`, figures in it change all the time: it asks for another size only where its text needs more
    room, or much less. A QLabel that may become narrower would have the window laid out anew at each text.
    """

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self.setProperty("role", "heading")
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self._fit()

    def text(self) -> str:
        """All of it, seen or not."""
        return self._text

    def setText(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self._fit()
            self.update()

    def sizeHint(self) -> QSize:
        return self.maximumSize()

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self._needed(), _legible_width(self.fontMetrics())), self.maximumHeight())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self.width() < self._needed():
            whole = "\n".join(text for text in (self._text, self.toolTip()) if text)
            QToolTip.showText(event.globalPos(), whole, self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        _paint_text(self, title_in(self._text, self.fontMetrics(), self.contentsRect().width()))

    def _needed(self) -> int:
        return self.fontMetrics().horizontalAdvance(self._text) + 1  # which is rounded: half a pixel more would be cut

    def _fit(self) -> None:
        self.setFixedHeight(self.fontMetrics().height())
        if not self._needed() <= self.maximumWidth() <= 4 / 3 * self._needed():
            self.setMaximumWidth(self._needed())


def title_in(text: str, metrics: QFontMetrics, width: int) -> str:
    """As much of a title as `width` pixels hold: its step, after the last dot, stays whole where two thirds are enough.

    What is before the dot has the rest, as long as that shows something of it.
    """
    name, dot, moment = text.rpartition(" · ")
    needed, kept = (metrics.horizontalAdvance(part) + 1 for part in (name, dot + moment))  # as in `_needed`
    room = min(needed, max(width - kept, width // 3))
    if metrics.horizontalAdvance(text) <= width or room < min(needed, _legible_width(metrics)):
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
    parts = ((name, room), (dot + moment, width - room))
    return "".join(metrics.elidedText(part, Qt.TextElideMode.ElideRight, share) for part, share in parts)


def _legible_width(metrics: QFontMetrics) -> int:
    """What is always seen of a title."""
    return _LEGIBLE_TITLE * metrics.averageCharWidth()


def _paint_text(widget: QWidget, text: str) -> None:
    """Write a text in the widget's font and colour."""
    rect, flags = widget.contentsRect(), (Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter).value
    role = widget.foregroundRole()
    with QPainter(widget) as painter:
        widget.style().drawItemText(painter, rect, flags, widget.palette(), widget.isEnabled(), text, role)


def set_role(widget: QWidget, role: str) -> None:
    """Have the stylesheet give it the look of this role from now on."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.style().polish(widget)


def button(text: str, help: str, *, role: str = "", name: str = "") -> QPushButton:
    """A push button; `name` is its accessible name where the text alone does not say enough."""
    made = QPushButton(text)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves Space to Learn
    made.setToolTip(help)
    made.setAccessibleName(name or text)
    made.setAccessibleDescription(help)
    if role:
        made.setProperty("role", role)
    return made


def enable(widget: QPushButton, reason: str) -> None:
    """Enable a button where there is no reason against it; a disabled one says why in its tooltip."""
    widget.setEnabled(not reason)
    widget.setToolTip(reason or widget.accessibleDescription())


def from_home(path: Path) -> str:
    """A path as people write it: `~` stands for their home."""
    home = Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)


def scrolling(widget: QWidget) -> QScrollArea:
    """A widget that can be scrolled where zoom leaves too little room."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setWidget(widget)
    return area


def splitter(orientation: Qt.Orientation, *parts: tuple[QWidget, int]) -> QSplitter:
    """Widgets side by side or one over the other, sharing the room in these proportions; none can be closed."""
    made = QSplitter(orientation)
    made.setChildrenCollapsible(False)
    made.setHandleWidth(GRID)
    for place, (widget, share) in enumerate(parts):
        made.addWidget(widget)
        made.setStretchFactor(place, share)
    made.setSizes([1000 * share for _, share in parts])
    return made


def bring_into_view(widget: QWidget) -> None:
    """Where it lies in something that scrolls, scroll there."""
    around = widget.parentWidget()
    while around is not None and not isinstance(around, QScrollArea):
        around = around.parentWidget()
    if around is not None:
        around.ensureWidgetVisible(widget)


class CalmCombo(QComboBox):
    """A choice among others that scroll: the wheel scrolls them, it does not choose."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class IconButton(QToolButton):
    """A flat button that is only an icon, tinted by the theme and following it."""

    def __init__(self, theme: Theme, icon_name: str, name: str, help: str = "") -> None:
        super().__init__()
        self._theme = theme
        self._icon_name = icon_name
        self.setProperty("role", "flat")
        self.setAccessibleName(name)
        self.setToolTip(help or name)
        self.tint()
        theme.changed.connect(self.tint)

    def set_icon(self, icon_name: str) -> None:
        self._icon_name = icon_name
        self.tint()

    def tint(self) -> None:
        """Draw the icon in the theme's text colour and size."""
        self.setIcon(icon(self._icon_name, self._theme.colours.text))
        self.setIconSize(QSize(self._theme.px(16), self._theme.px(16)))


class MoreButton(QToolButton):
    """Opens what not everybody needs; its arrow says whether that is open."""

    def __init__(self, name: str, help: str) -> None:
        super().__init__()
        self.setText("More")
        self.setProperty("role", "flat")
        self.setCheckable(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setAccessibleName(name)
        self.setToolTip(help)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.toggled.connect(self._turn_arrow)
        self._turn_arrow(False)

    def _turn_arrow(self, is_open: bool) -> None:
        self.setArrowType(Qt.ArrowType.DownArrow if is_open else Qt.ArrowType.RightArrow)


class EscapableEdit(QLineEdit):
    """A field that has Esc for itself, before the window's shortcut: `escaped` says that it is given up."""

    escaped = Signal()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and _is_escape(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_escape(event):
            self.escaped.emit()
        else:
            super().keyPressEvent(event)


def _is_escape(event: QEvent) -> bool:
    return isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape


def read_by_rows(table: QTableWidget) -> None:
    """Have a table be read, a row at a time: nothing is typed into it, and Tab leaves it."""
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
    table.setTabKeyNavigation(False)  # arrow keys walk in it
    table.setShowGrid(False)
    table.verticalHeader().hide()


def offer(combo: QComboBox, offers: Sequence[tuple[str, object]]) -> None:
    """Offer these texts and what they stand for, where they are others and nobody is choosing just now."""
    offered = [(combo.itemText(place), combo.itemData(place)) for place in range(combo.count())]
    if list(offers) != offered and not combo.view().isVisible():
        with QSignalBlocker(combo):
            combo.clear()
            for text, value in offers:
                combo.addItem(text, value)


def combo_box(name: str, help: str) -> QComboBox:
    """A choice with a name and a help, as wide as what it offers."""
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.setAccessibleDescription(help)
    combo.setToolTip(help)
    combo.setMaxVisibleItems(20)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    return combo
