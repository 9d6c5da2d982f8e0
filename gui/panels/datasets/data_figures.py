"""The panel of a dataset's figures: known tokens, repetitions, leaks and padding, with a column for each split."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QTableWidget, QTableWidgetItem

from core.data.splits import HELD_OUT, SPLITS
from core.history import History
from core.overview.records import DataOverview, SideFigures
from core.per_cent import per_cent
from gui.datasets.data_reader import DataReader
from gui.panel import Panel, Table
from gui.pictures.whole_table import whole_table
from gui.theme import GRID, Theme
from gui.widgets.tables import NUMBER_ALIGNMENT, make_read_only, on_columns_resized, table_item

FigureLine = tuple[str, str, dict[str, str]]  # a figure's name, its meaning, and its text by split
_ROW_HEIGHT = 20  # pixels at 100 %, of one line
_HIGHEST = 1_000  # pixels: more than any name needs
_SIDES = ("source", "target")
_COMPARED = (
    ("repeated pairs", "Pairs that occurred earlier in the train split", ("train",)),
    ("sources in train too", "Distinct held-out sources that are also trained on: their scores say little", HELD_OUT),
    ("pairs in train too", "Those of them with the same target", HELD_OUT),
    (
        "sources in valid too",
        "Distinct test sources that are also validated on (all of them, where there are no separate test pairs): "
        "whatever validation chose favours them",
        ("test",),
    ),
)


class DataFigures(Panel):
    """Shows the figures as far as the data have been examined."""

    title = "In numbers"
    empty_sentence = "Examining the data …"
    redraw_on = ()  # its view marks it
    is_picture = True

    def __init__(self, theme: Theme, reader: DataReader) -> None:
        super().__init__(theme)
        self._reader = reader
        self.table = _table()
        on_columns_resized(self.table, self._fit_rows)
        self.body.addWidget(self.table)

    def show_step(self, history: History, step: int) -> None:
        """Show what is known about the data; they are the same at every step."""
        overview = self._reader.overview
        if overview is None:
            self.show_empty()
            return
        self.show_body()
        lines = list(figure_lines(overview))
        self.table.verticalHeader().setDefaultSectionSize(self.theme.px(_ROW_HEIGHT))
        self.table.setRowCount(len(lines))
        for number, (name, meaning, texts) in enumerate(lines):
            for column, text in enumerate((name, *(texts.get(split, "") for split in SPLITS))):
                self.table.setItem(number, column, self._item(name, meaning, text, column))
        self._fit_rows()

    def numbers(self) -> Table:
        """The table as shown."""
        assert self._reader.overview is not None
        lines = figure_lines(self._reader.overview)
        return [
            ("figure", *SPLITS),
            *((name, *(texts.get(split, "") for split in SPLITS)) for name, _, texts in lines),
        ]

    def export_widgets(self) -> tuple[QTableView]:
        """The whole table."""
        return (whole_table(self.table),)

    def _fit_rows(self) -> None:
        """Make rows as high as their wrapped names need, and the table as high as its rows.

        Qt's own computation ignores the cells' padding.
        """
        metrics, least = self.table.fontMetrics(), self.theme.px(_ROW_HEIGHT)
        room = QRect(0, 0, self.table.columnWidth(0) - 2 * self.theme.px(GRID) - 2, _HIGHEST)
        for row in range(self.table.rowCount()):
            item = self.table.item(row, 0)
            assert item is not None
            name = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, item.text()).height()
            needed = max(name, self.table.sizeHintForRow(row))
            self.table.setRowHeight(row, least + max(0, needed - metrics.lineSpacing()))
        rows, columns = self.table.verticalHeader(), self.table.horizontalHeader()
        whole = columns.sizeHint().height() + rows.length() + 2 * self.table.frameWidth()
        self.table.setMinimumHeight(whole)  # the view scrolls: a table that scrolled in it would hide its last rows

    def _item(self, name: str, meaning: str, text: str, column: int) -> QTableWidgetItem:
        spoken = f"{name}, {SPLITS[column - 1]}: {text or 'none'}" if column else ""
        item = table_item(text, tip=meaning, accessible_text=spoken)
        if column:
            item.setTextAlignment(NUMBER_ALIGNMENT)
        if text.startswith("!"):
            item.setForeground(self.theme.colour("bad"))
        return item


def figure_lines(overview: DataOverview) -> Iterator[FigureLine]:
    """Every figure that is known so far. `!` marks what makes a score less meaningful."""
    splits = overview.splits
    yield "pairs", "Pairs that are used", {name: f"{split.num_pairs:,}" for name, split in splits.items()}
    left_out = {name: f"{split.num_left_out:,}" for name, split in splits.items()}
    yield "left out, too long", "Pairs longer than max_src_length or max_tgt_length", left_out
    if any(split.num_left_out_by_plugin for split in splits.values()):
        by_plugin = {name: f"{split.num_left_out_by_plugin:,}" for name, split in splits.items()}
        yield "left out by the plugin", "Pairs that the dataset's own options leave out", by_plugin
    for side, key in zip(_SIDES, ("src", "tgt"), strict=True):
        known = {name: _known(getattr(split, key)) for name, split in splits.items()}
        yield f"{side} tokens known", f"Share of {side} tokens that the train split's vocabulary has", known
    yield from _compared(overview)
    sample = ", of a sample of batches" if overview.is_padding_sampled else ""
    padding = {"train": per_cent(overview.padding, 1)}
    yield "padding", f"Share of the positions in a batch that are padding{sample}", padding


def _known(side: SideFigures) -> str:
    return per_cent(1 - side.num_unknown / max(1, side.num_tokens), 1)


def _compared(overview: DataOverview) -> Iterator[FigureLine]:
    """The figures known only once the whole train split was read; until then placeholders keep their lines."""
    repeats, leaks, test_in_valid = overview.repeats, overview.leaks, overview.test_in_valid
    if repeats is None or leaks is None or test_in_valid is None:
        yield from ((name, meaning, dict.fromkeys(splits, "…")) for name, meaning, splits in _COMPARED)
        return
    share = repeats.num_pairs / max(1, overview.splits["train"].num_pairs)
    known = (
        {"train": f"{repeats.num_pairs:,} ({per_cent(share, 1)})"},
        {name: _leaked(leak.sources_in_train, leak.num_sources) for name, leak in leaks.items()},
        {name: f"{leak.pairs_in_train:,}" for name, leak in leaks.items()},
        {"test": _leaked(test_in_valid, leaks["test"].num_sources)},
    )
    yield from ((name, meaning, texts) for (name, meaning, _), texts in zip(_COMPARED, known, strict=True))


def _leaked(found: int, of: int) -> str:
    return f"! {found:,} of {of:,}" if found else f"0 of {of:,}"


def _table() -> QTableWidget:
    table = QTableWidget(0, 1 + len(SPLITS))
    table.setHorizontalHeaderLabels(["", *SPLITS])
    table.setObjectName("figures")
    table.setAccessibleName("The dataset in numbers, a column for each split")
    table.setToolTip("A column for each split; rest the mouse on a row to see what its figure means")
    make_read_only(table)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.verticalHeader().setMinimumSectionSize(1)  # the style's own minimum is too high
    header = table.horizontalHeader()
    header.setDefaultAlignment(NUMBER_ALIGNMENT)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    return table
