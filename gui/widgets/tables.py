"""Read-only tables."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QItemSelectionModel, QKeyCombination, QObject, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QHeaderView, QStyleOptionHeader, QTableWidget, QTableWidgetItem

TEXT_ALIGNMENT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
NUMBER_ALIGNMENT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_WORD_JOINER = "\u2060"
_HIGHEST = 1_000  # pixels: more than any header needs


def make_read_only(table: QTableWidget) -> None:
    """Make a table read-only, with whole rows selected; Tab leaves it, and Space, unless it selects another row."""
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
    table.setTabKeyNavigation(False)  # the arrow keys move inside it
    table.setShowGrid(False)
    table.horizontalHeader().setHighlightSections(False)  # any chosen row would highlight them all
    table.verticalHeader().hide()
    table.installEventFilter(_SpaceFilter(table))


class _SpaceFilter(QObject):
    """Leaves Space to Learn where it would select no other row of the table, which uses the key all the same."""

    def __init__(self, table: QTableWidget) -> None:
        super().__init__(table)
        self._table = table

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        current = self._table.currentIndex()
        selects = current.isValid() and not self._table.selectionModel().isSelected(current)
        if event.keyCombination() != QKeyCombination(Qt.Key.Key_Space) or selects:
            return False
        event.ignore()
        return True


class WrappingHeader(QHeaderView):
    """A table's header that wraps its texts to the widths of the columns, and is as high as that needs.

    Only of a word that is wider than its column the middle is left out.
    """

    def __init__(self, table: QTableWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self.setDefaultAlignment(TEXT_ALIGNMENT | Qt.TextFlag.TextWordWrap)
        table.setHorizontalHeader(self)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, index: int) -> None:
        super().initStyleOptionForIndex(option, index)
        option.text = self._wrappable(index)

    def sectionSizeFromContents(self, index: int) -> QSize:
        size, metrics = super().sectionSizeFromContents(index), self.fontMetrics()
        room = QRect(0, 0, self._room(index), _HIGHEST)
        wrapped = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, self._wrappable(index))
        return QSize(size.width(), size.height() + wrapped.height() - metrics.height())

    def _room(self, index: int) -> int:
        """The pixels between the paddings of a column, beside its icon; Qt measures the text as if it were bold."""
        bold = self.font()
        bold.setBold(True)
        whole_text = QFontMetrics(bold).horizontalAdvance(self._text(index))
        return self.sectionSize(index) - (super().sectionSizeFromContents(index).width() - whole_text)

    def _wrappable(self, index: int) -> str:
        """The column's text, with each word cut to the room that there is; a line must not end at the cut."""
        room, cut = self._room(index), self.fontMetrics().elidedText
        words = (cut(word, Qt.TextElideMode.ElideMiddle, room) for word in self._text(index).split(" "))
        return " ".join(words).replace("…", f"…{_WORD_JOINER}")

    def _text(self, index: int) -> str:
        return str(self.model().headerData(index, self.orientation()))


def select_row(table: QTableWidget, row: int) -> None:
    """Choose this row alone, or none if there is no such row.

    The flags are explicit, since otherwise Qt takes a held Ctrl, as of Ctrl+6, to mean "this one, too".
    """
    flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
    table.setCurrentCell(-1, -1, QItemSelectionModel.SelectionFlag.Clear)
    table.setCurrentCell(row, 0, flags)


def table_item(text: str = "", *, tip: str = "", accessible_text: str = "") -> QTableWidgetItem:
    """A read-only cell that can be chosen; a screen reader says `accessible_text`, if given, instead of its text."""
    item = QTableWidgetItem(text)
    item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
    item.setToolTip(tip)
    if accessible_text:
        item.setData(Qt.ItemDataRole.AccessibleTextRole, accessible_text)
    return item


def on_columns_resized(table: QTableWidget, callback: Callable[[], None]) -> None:
    """Call `callback` after the widths of the table's columns have changed."""
    soon = QTimer(table, singleShot=True, interval=0)  # the signal comes early, and a scroll bar narrows all
    soon.timeout.connect(callback)
    table.horizontalHeader().sectionResized.connect(lambda: soon.start())
