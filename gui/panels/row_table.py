"""A table in which one row is selected; a row with a problem shows it as one sentence across its columns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, Generic, NamedTuple, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from gui.theme import GRID, Theme
from gui.widgets.labels import literal_tooltip
from gui.widgets.tables import NUMBER_ALIGNMENT, TEXT_ALIGNMENT, make_read_only, select_row, table_item

Row = TypeVar("Row")
_NARROWEST = 120  # least pixels (at 100 %) of a column without a width; the table scrolls if there is less room


class Column(NamedTuple):
    """One column: its header, what it means, and its width in pixels before zoom (0: a share of what is left)."""

    name: str
    meaning: str
    width: int = 0
    is_number: bool = False


class RowTable(QTableWidget, Generic[Row]):
    """Shows rows, and keeps the selection when they change. Subclasses give each row's texts, key, problem and tip."""

    row_opened = Signal()  # the selected row was double-clicked, or Enter was pressed
    columns: ClassVar[tuple[Column, ...]]
    sentence_column: ClassVar[int]
    """The column at which a problem's sentence begins; it spans all columns from there on."""

    def __init__(self, theme: Theme, name: str, tip: str) -> None:
        super().__init__(0, len(self.columns))
        self.theme = theme
        self.rows: list[Row] = []
        self._text_widths: list[tuple[int, ...]] = []  # of each row's texts, in pixels; see `_measure`
        self._name_columns()
        self.setObjectName(name.lower())
        self.setAccessibleName(name)
        self.setToolTip(tip)
        make_read_only(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setAlternatingRowColors(True)
        self.doubleClicked.connect(self.row_opened)
        for keys in ("Return", "Enter"):  # a held one must not open one thing after another
            shortcut = QShortcut(keys, self, context=Qt.ShortcutContext.WidgetWithChildrenShortcut, autoRepeat=False)
            shortcut.activated.connect(self.row_opened)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    def texts_of(self, row: Row) -> tuple[str, ...]:
        """The row's texts, one per column."""
        raise NotImplementedError

    def key_of(self, row: Row) -> Hashable:
        """What identifies the row while its other values change."""
        raise NotImplementedError

    def problem_of(self, row: Row) -> str:
        """What is wrong with the row; empty if nothing is."""
        return ""

    def tip_of(self, row: Row) -> str:
        """The row's tooltip."""
        raise NotImplementedError

    def fit_rows(self) -> None:
        """Give each row its height."""
        self.verticalHeader().setDefaultSectionSize(self.theme.px(32))

    @property
    def needed_height(self) -> int:
        """The height in pixels that shows all rows, and the horizontal scroll bar if the columns need one."""
        header = self.horizontalHeader()
        is_wider = header.length() > self.maximumViewportSize().width()
        bar = self.horizontalScrollBar().sizeHint().height() if is_wider else 0
        return header.sizeHint().height() + self.verticalHeader().length() + 2 * self.frameWidth() + bar

    @property
    def selected_row(self) -> Row | None:
        number = self.currentRow()
        return self.rows[number] if 0 <= number < len(self.rows) else None

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show these rows instead; only the cells of rows that differ from those in their places are made anew."""
        rows = list(rows)
        if rows == self.rows:
            return
        chosen = None if self.selected_row is None else self.key_of(self.selected_row)
        shown, self.rows = self.rows, []  # so that `selected_row` is None while the table is half filled
        self.clearSpans()
        self.setRowCount(len(rows))
        for number, row in enumerate(rows):
            if number >= len(shown) or row != shown[number]:
                self.fill(number, row)
                self._text_widths[number : number + 1] = [self._measure(row)]
            if self.problem_of(row):
                self.setSpan(number, self.sentence_column, 1, len(self.columns) - self.sentence_column)
        self.rows = rows
        del self._text_widths[len(rows) :]
        self._share_width()
        self.fit_rows()
        self.select(chosen)

    def select(self, key: Hashable) -> None:
        """Select the row with this key, or the first row if there is none."""
        matching = [number for number, row in enumerate(self.rows) if self.key_of(row) == key]
        select_row(self, matching[0] if matching else 0)

    def fill(self, number: int, row: Row) -> None:
        """Make the cells of a row."""
        problem = self.problem_of(row)
        for index, (column, text) in enumerate(zip(self.columns, self.texts_of(row), strict=True)):
            tip = problem if problem and index == self.sentence_column else self.tip_of(row)
            item = table_item(text, tip=literal_tooltip(tip), accessible_text=f"{column.name} {text or 'unknown'}")
            item.setTextAlignment(NUMBER_ALIGNMENT if column.is_number else TEXT_ALIGNMENT)
            self.setItem(number, index, item)

    def _name_columns(self) -> None:
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        for index, column in enumerate(self.columns):
            item = QTableWidgetItem(column.name)
            item.setToolTip(column.meaning)
            item.setTextAlignment(NUMBER_ALIGNMENT if column.is_number else TEXT_ALIGNMENT)
            self.setHorizontalHeaderItem(index, item)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def _apply_theme(self) -> None:
        self.setFont(self.theme.font())
        self._text_widths = list(map(self._measure, self.rows))
        self._share_width()
        self.fit_rows()

    def _share_width(self) -> None:
        """Give each column its width; the columns without one share what is left.

        A column whose texts need less than its share leaves the rest to those that need more. Where the room is too
        little for them, the columns with a width have no more than they need, either.
        """
        shown = [index for index in range(len(self.columns)) if not self.isColumnHidden(index)]
        needed = {index: self.needed_width(index) for index in shown}
        widths = {index: self.theme.px(self.columns[index].width) for index in shown if self.columns[index].width}
        sharing = sorted((needed[index], index) for index in shown if index not in widths)
        if sum(widths.values()) + sum(width for width, _ in sharing) > self.viewport().width():
            widths = {index: min(width, needed[index]) for index, width in widths.items()}
        left = max(self.viewport().width() - sum(widths.values()), 0)
        for number, (wanted, index) in enumerate(sharing):
            others = len(sharing) - number
            widths[index] = max(min(wanted, left // others), min(wanted, self.theme.px(_NARROWEST)))
            left -= widths[index]
        for _, index in sharing:
            widths[index] += max(left, 0) // len(sharing)
        for index, width in widths.items():
            self.setColumnWidth(index, width)

    def needed_width(self, index: int) -> int:
        """The pixels that a column's header and texts need; problem sentences, which span columns, do not count."""
        widest = max((widths[index] for widths in self._text_widths if widths), default=0)
        return max(widest + 2 * self.theme.px(GRID) + 2, self.horizontalHeader().sectionSizeHint(index))

    def _measure(self, row: Row) -> tuple[int, ...]:
        """The widths of a row's texts, once for each row and font: a resize asks for them many times.

        Empty if the row has a problem.
        """
        if self.problem_of(row):
            return ()
        return tuple(map(self.fontMetrics().horizontalAdvance, self.texts_of(row)))
