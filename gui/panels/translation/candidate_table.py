"""The table of an output: a row for each token, with the chosen token first and its runners-up after it."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from core.probes import Feed
from gui.panels.translation.probability_delegate import IS_FORCED, PROBABILITY, ProbabilityDelegate
from gui.sentences.tokens import figure_text, quoted
from gui.theme import Theme
from gui.widgets.labels import literal_tooltip
from gui.widgets.tables import TEXT_ALIGNMENT, make_read_only, table_item

Candidate = tuple[str, float]  # a token and its probability
_COLUMNS = ("chosen", "runner-up", "3rd", "4th", "5th")
_LEAST_HEIGHT = 140  # pixels at 100 %: the names of the columns and four rows
_NARROWEST = 80  # pixels of a column, for its name
_HELP = (
    "Each row is one token of the output; the numbers are probabilities, 0 to 1. Click a runner-up, or press Enter on "
    "it: the output continues from there"
)


class CandidateTable(QTableWidget):
    """Emits `row_reached` with the row that became current, `picked` with a row and the other token chosen for it."""

    row_reached = Signal(int)
    picked = Signal(int, str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(0, len(_COLUMNS))
        self._theme = theme
        self.setObjectName("candidates")
        self.delegate = ProbabilityDelegate(theme)
        self.setItemDelegate(self.delegate)
        self.setHorizontalHeaderLabels(_COLUMNS)
        self.setAccessibleName("Tokens with their probabilities and runners-up")
        self.setAccessibleDescription(_HELP)
        self.setToolTip(_HELP)
        make_read_only(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)  # wide enough for its tokens
        header.setDefaultAlignment(TEXT_ALIGNMENT)
        self.cellClicked.connect(self._pick)
        self.currentCellChanged.connect(lambda row, *_: self.row_reached.emit(row) if row >= 0 else None)

    def minimumSizeHint(self) -> QSize:
        """At least a few rows, however long the texts around the table are."""
        return QSize(super().minimumSizeHint().width(), self._theme.px(_LEAST_HEIGHT))

    def show_feed(self, feed: Feed, num_forced: int) -> None:
        """Fill the table; mark those of the first `num_forced` tokens that are not the model's first choice."""
        column = max(self.currentColumn(), 0)
        with QSignalBlocker(self):
            self.setRowCount(len(feed.tgt_output))
            for row, candidates in enumerate(candidates_of(feed)):
                for position in range(len(_COLUMNS)):
                    known = position < len(candidates)
                    item = _item(*candidates[position], is_chosen=not position) if known else QTableWidgetItem()
                    item.setData(IS_FORCED, position == 0 and row < num_forced and feed.output_rank[row] > 0)
                    self.setItem(row, position, item)
            self.setCurrentCell(-1, column)

    def show_position(self, position: int, *, is_chosen: bool) -> None:
        """Make this row current; rows after it are still to come, and are dimmed.

        The table scrolls to it only if the user chose it: a whole output is read from its beginning.
        """
        self.setAutoScroll(is_chosen)
        with QSignalBlocker(self):
            self.setCurrentCell(position, max(self.currentColumn(), 0))
        self.delegate.position = position
        self._scroll_to_chosen()  # Qt does so by itself only while the table is visible
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()
        self._scroll_to_chosen()

    def fit_columns(self) -> None:
        """Show the chosen tokens uncut and as many runners-up as are readable; hide the columns without room.

        Beyond that, all columns are alike: the narrowest decides how long the bars are.
        """
        self.verticalHeader().setDefaultSectionSize(self._theme.px(28))
        scrolls = self.verticalHeader().length() > self.viewport().height()
        bar = self.verticalScrollBar().sizeHint().width() if scrolls else 0
        width = self.width() - 2 * self.frameWidth() - bar
        header = self.horizontalHeader()
        needed = [
            max(self.sizeHintForColumn(column), header.sectionSizeHint(column), self._theme.px(_NARROWEST))
            for column in range(len(_COLUMNS))
        ]
        chosen, *others = (min(each, width // 2) for each in needed)
        fitting = (many for many in range(1, len(_COLUMNS)) if many * max(others[:many]) <= width - chosen)
        shown = max(fitting, default=1)
        self.setColumnWidth(0, max(chosen, min(width // (1 + shown), width - shown * max(others[:shown]))))
        for column in range(1, len(_COLUMNS)):
            self.setColumnHidden(column, column > shown)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._pick(self.currentRow(), self.currentColumn())
        else:
            super().keyPressEvent(event)

    def _scroll_to_chosen(self) -> None:
        if self.hasAutoScroll():
            self.scrollTo(self.currentIndex())

    def _pick(self, row: int, column: int) -> None:
        item = self.item(row, column)
        if column > 0 and item is not None and item.data(PROBABILITY) is not None:
            self.picked.emit(row, item.text())


def candidates_of(feed: Feed) -> Iterator[list[Candidate]]:
    """For each position the token that was written, then the others, most probable first."""
    for position, chosen in enumerate(feed.tgt_output):
        top = zip(feed.top_tokens[position], feed.top_probability[position].tolist(), strict=True)
        others = [candidate for candidate in top if candidate[0] != chosen]
        yield [(chosen, float(feed.output_probability[position])), *others]


def _item(token: str, probability: float, *, is_chosen: bool) -> QTableWidgetItem:
    share = figure_text(probability, 3)
    tip = "" if is_chosen else literal_tooltip(f"Continue from {quoted(token)}, which has {share} here")
    item = table_item(token, tip=tip, accessible_text=f"{token}, probability {share}")
    item.setData(PROBABILITY, probability)
    return item
