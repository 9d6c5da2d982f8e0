"""The table of pairs: one per row, source and target as the tokens that the model reads."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from core.overview.pairs import PairRow, Token
from gui.panels.datasets.token_delegate import TOKENS, KindOfToken, TokenDelegate
from gui.theme import GRID, Theme
from gui.widgets.dynamic_labels import text_width
from gui.widgets.tables import TEXT_ALIGNMENT, make_read_only, on_columns_resized, select_row, table_item

_COLUMNS = (
    ("pair", "Its number in the split"),
    ("source", "Its tokens; those not in the vocabulary are underlined, and read as <unk>"),
    ("target", "Its tokens, as the decoder should write them"),
)
LEFT_OUT = "too long"
_WHY_LEFT_OUT = "Left out: longer than max_src_length or max_tgt_length allows"


class PairTable(QTableWidget):
    """Shows one page of pairs."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(0, len(_COLUMNS))
        self._theme = theme
        self.rows: list[PairRow] = []
        self.setObjectName("pairs")
        self.setAccessibleName("Pairs")
        self.setToolTip("Each row is a pair; arrow keys walk, Ctrl+PgDown shows the next page")
        self.setItemDelegate(TokenDelegate(theme))
        make_read_only(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAlternatingRowColors(True)
        self._name_columns()
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    def show_rows(self, rows: Sequence[PairRow]) -> None:
        """Show these rows instead; do nothing if they are the same."""
        if list(rows) == self.rows:
            return
        self.rows = list(rows)
        self.setRowCount(len(rows))
        for number, row in enumerate(rows):
            self.setItem(number, 0, _number_item(row))
            self.setItem(number, 1, _tokens_item("source", row.src, before=()))
            self.setItem(number, 2, _tokens_item("target", row.tgt, before=(("<bos>", "special"),)))
        self._fit_numbers()
        self.resizeRowsToContents()
        select_row(self, 0)
        self.scrollToTop()

    def _name_columns(self) -> None:
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        on_columns_resized(self, self.resizeRowsToContents)
        header.setDefaultAlignment(TEXT_ALIGNMENT)
        for column, (name, meaning) in enumerate(_COLUMNS):
            item = QTableWidgetItem(name)
            item.setToolTip(meaning)
            self.setHorizontalHeaderItem(column, item)

    def _apply_theme(self) -> None:
        self.setFont(self._theme.font())
        self._fit_numbers()
        self.resizeRowsToContents()

    def _fit_numbers(self) -> None:
        """The first column has the width that its numbers need, and leaves the rest to the texts."""
        texts = [text for row in self.rows for text in _number(row)]
        widest = max((text_width(self.fontMetrics(), text) for text in texts), default=0)
        needed = widest + 2 * self._theme.px(GRID)
        self.setColumnWidth(0, max(needed, self.horizontalHeader().sectionSizeHint(0)))


def _number(row: PairRow) -> tuple[str, ...]:
    """Its number, and below it, where there is no room beside it, what became of the pair."""
    return (f"{row.index + 1:,}", LEFT_OUT) if row.is_left_out else (f"{row.index + 1:,}",)


def _number_item(row: PairRow) -> QTableWidgetItem:
    texts = _number(row)
    item = table_item(" ".join(texts), tip=_WHY_LEFT_OUT if row.is_left_out else "")
    item.setData(TOKENS, tuple((text.replace(" ", "\N{NO-BREAK SPACE}"), "special") for text in texts))
    return item


def _tokens_item(side: str, tokens: Sequence[Token], before: Sequence[KindOfToken]) -> QTableWidgetItem:
    own: list[KindOfToken] = [(text, "known" if is_known else "unknown") for text, is_known in tokens]
    unknown = [text for text, is_known in tokens if not is_known]
    note = f"; unknown, and read as <unk>: {' '.join(unknown)}" if unknown else ""
    count = len(tokens) + 1
    tip = f"{count:,} token{'s' * (count != 1)}, <eos> counted{note}"
    item = table_item(tip=tip, accessible_text=f"{side} {' '.join(text for text, _ in tokens)}{note}")
    item.setData(TOKENS, (*before, *own, ("<eos>", "special")))
    return item
