"""The Data view: the prepared pairs with their tokens, and what to know about them before training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QFileDialog, QStackedWidget, QTableWidgetItem, QWidget

from core.data.splits import SPLITS
from core.overview.pairs import MAX_FOUND
from gui.context import Context
from gui.datasets.data_reader import DataReader
from gui.datasets.pair_pages import PAGE, PairPages
from gui.panels.datasets.data_figures import DataFigures
from gui.panels.datasets.example_table import ExampleTable, examples_of
from gui.panels.datasets.length_histograms import LengthHistograms
from gui.panels.datasets.pair_table import PairTable
from gui.sentences.tokens import quoted_search
from gui.theme import GRID
from gui.view import View
from gui.widgets.buttons import button, enable_or_release
from gui.widgets.combo_boxes import NoWheelComboBox
from gui.widgets.escapable_edit import EscapableEdit
from gui.widgets.flow_layout import FlowLayout, side_by_side
from gui.widgets.labels import plain_label
from gui.widgets.scroll_areas import FramelessScrollArea
from gui.widgets.splitters import splitter

SEARCH_DELAY_MS = 250  # after the last keystroke
_LEAST_WIDTH = 200  # pixels at 100 % of the table and of the figures, for a few words in each column
_LEAST_HEIGHT = 200  # pixels at 100 % of both
_SEARCH_HELP = "Pairs that contain this text, in upper or lower case (Ctrl+F; Esc shows all again)"
HINT = "To train on your own texts, drop two files, a folder or a .tsv anywhere on the window."
ENDLESS = "This dataset is endless: these are the pairs of its first shard, and the figures describe these."
OUTDATED = "These are the previous data; new data are being prepared …"
FOLLOWED = "These are the data of this window's own run, not of the run it follows."


class DataView(View):
    """Pairs on the left, figures on the right; everything is read and counted beside the GUI thread."""

    title = "Data"
    icon = "data"
    help = "The pairs and their tokens, before training starts"

    files_chosen = Signal(list)  # paths of a corpus to train on

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.reader = DataReader(context.bridge)
        self.pages = PairPages(context.bridge, self.reader)
        self.split_combo = NoWheelComboBox()
        self.search_edit = EscapableEdit("Search", "Search sources and targets", _SEARCH_HELP)
        self.previous_button = button("‹", "The previous page (Ctrl+PgUp)", name="Previous page")
        self.next_button = button("›", "The next page (Ctrl+PgDown)", name="Next page")
        self.page_label = plain_label(role="muted")
        self.files_button = button("Your own files …", "Choose the text files of a corpus: source first, then target")
        self.note_label = plain_label(role="muted", wraps=True)
        self.empty_label = plain_label(role="muted", wraps=True)
        self.table = PairTable(context.theme)
        self.histograms = LengthHistograms(context.theme, self.reader, self.pages)
        self.figures = DataFigures(context.theme, self.reader)
        self.examples = ExampleTable(context.theme)
        self._stack = QStackedWidget()
        self._typing = QTimer(self, singleShot=True, interval=SEARCH_DELAY_MS)
        self.add_panels(self.histograms, self.figures)
        self._lay_out()
        self._connect()
        self._resize()
        self._show_data()
        self._show_pairs()

    def show_example(self) -> None:
        """Show the pairs that contain the chosen example."""
        if (example := self.examples.selected_row) is not None:
            self.search_edit.setText(example.text)
            self.split_combo.setCurrentIndex(SPLITS.index(example.split))
            self._search()

    def ask_files(self) -> None:
        """Let the user choose the files of a corpus, without waiting for the choice."""
        dialog = QFileDialog(self, "Choose two text files, those of each split, or a .tsv")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self._choose_files)
        dialog.open()

    def showEvent(self, event: QShowEvent) -> None:
        self._set_watched(True)
        self.table.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        self._set_watched(False)

    def _set_watched(self, is_watched: bool) -> None:
        self.reader.watch(is_watched)
        self.pages.watch(is_watched)

    def _lay_out(self) -> None:
        self.split_combo.addItems(SPLITS)
        self.split_combo.setAccessibleName("Split")
        self.split_combo.setToolTip("Whose pairs and lengths are shown")
        self.empty_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        controls = QWidget()
        row = FlowLayout(controls, GRID)
        row.addWidget(self.split_combo)
        row.add_stretching(self.search_edit)
        row.addWidget(side_by_side(self.previous_button, self.page_label, self.next_button))
        row.addWidget(self.files_button)
        for part, height in ((self.histograms, 204), (self.examples, 112), (self._stack, _LEAST_HEIGHT)):
            self.keep_min_height(part, height)  # if zoom leaves less room, they scroll
        parts = splitter(Qt.Orientation.Vertical, (self.histograms, 3), (self.figures, 4), (self.examples, 3))
        self._stack.addWidget(self.empty_label)
        self._figures_area = FramelessScrollArea(parts)
        beside = splitter(Qt.Orientation.Horizontal, (self.table, 4), (self._figures_area, 3))
        self._stack.addWidget(FramelessScrollArea(beside))
        column = self.scrolling_column()
        column.addWidget(controls)
        column.addWidget(self.note_label)
        column.addWidget(self._stack, 1)

    def _resize(self) -> None:
        self.note_label.setMinimumHeight(self.note_label.fontMetrics().lineSpacing())  # so that a note shifts nothing
        for part in (self.table, self._figures_area):
            part.setMinimumWidth(self.context.theme.px(_LEAST_WIDTH))  # if Setup leaves less room, they scroll sideways

    def _connect(self) -> None:
        self.reader.opened.connect(self._show_data)
        self.reader.changed.connect(self._show_overview)
        self.reader.outdated_changed.connect(self._show_note)
        self.pages.changed.connect(self._show_pairs)
        self.split_combo.currentTextChanged.connect(self.pages.choose_split)
        self.split_combo.currentTextChanged.connect(self._mark_panels)
        self.search_edit.textEdited.connect(self._typing.start)
        self.search_edit.returnPressed.connect(self._search)
        self.search_edit.escaped.connect(self._show_all)
        self._typing.timeout.connect(self._search)
        self.previous_button.clicked.connect(self._show_previous_page)
        self.next_button.clicked.connect(self._show_next_page)
        self.files_button.clicked.connect(self.ask_files)
        self.examples.row_opened.connect(self.show_example)
        self.figures.table.currentItemChanged.connect(self._scroll_to_figure)
        self.context.follower.changed.connect(self._show_note)
        self.context.theme.changed.connect(self._resize)
        for keys, act in (
            ("Ctrl+F", self.search_edit.setFocus),
            ("Ctrl+PgUp", self.previous_button.click),
            ("Ctrl+PgDown", self.next_button.click),
        ):
            QShortcut(keys, self, act)  # while the view is visible, wherever the focus is

    def _show_data(self) -> None:
        """Show the data, or why there are none."""
        self.empty_label.setText(self.reader.empty_reason)
        self._stack.setCurrentIndex(0 if self.reader.data is None else 1)
        self._show_overview()

    def _show_overview(self) -> None:
        examples = list(examples_of(self.reader.overview))
        self.examples.show_rows(examples)
        self.examples.setVisible(bool(examples))  # an empty table would say nothing
        self._mark_panels()
        self._show_note()

    def _scroll_to_figure(self, item: QTableWidgetItem | None) -> None:
        """Scroll the view to the row that the arrow keys have reached, since its table does not scroll."""
        table, parts = self.figures.table, self._figures_area.widget()
        if item is not None:
            assert parts is not None
            row = table.visualItemRect(item)
            middle = table.viewport().mapTo(parts, row.center())
            self._figures_area.ensureVisible(middle.x(), middle.y(), 0, row.height())

    def _mark_panels(self) -> None:
        self.histograms.mark_dirty()
        self.figures.mark_dirty()

    def _show_note(self) -> None:
        data, overview = self.reader.data, self.reader.overview
        notes = [FOLLOWED] if self.context.follower.status else []
        notes += [OUTDATED] if self.reader.is_outdated else []
        notes += [ENDLESS] if data is not None and data.endless else []
        if overview is not None and overview.stage:
            notes.append(f"Looking at {overview.stage} …")
        if (found := self.pages.found) is not None and found.is_done and not found.indices:
            text = quoted_search(self.pages.search_text)
            notes.append(f"No pair of the {self.pages.split} split contains {text}.")
        self.note_label.setText(" ".join(notes) or HINT)

    def _show_pairs(self) -> None:
        pages = self.pages
        self.table.show_rows(pages.rows)
        self.page_label.setText(_page_text(pages))
        self._show_note()
        for move, why_not in (
            (self.previous_button, "" if pages.first_index else "This is the first page"),
            (self.next_button, "" if pages.first_index + PAGE < pages.num_rows else "This is the last page"),
        ):
            enable_or_release(move, why_not, to=self.table)

    def _search(self) -> None:
        self._typing.stop()
        self.pages.search(self.search_edit.text().strip())

    def _show_all(self) -> None:
        self.search_edit.clear()
        self._search()
        self.table.setFocus()

    def _show_next_page(self) -> None:
        self.pages.turn_pages(1)

    def _show_previous_page(self) -> None:
        self.pages.turn_pages(-1)

    def _choose_files(self, names: Sequence[str]) -> None:
        self.files_chosen.emit([Path(name) for name in names])


def _page_text(pages: PairPages) -> str:
    """`1 to 50 of 29,000`, or how far a search has come."""
    search = pages.found
    searched = f", {search.num_searched:,} searched …" if search is not None and not search.is_done else ""
    if not pages.rows:
        return f"none{searched}"
    found = " found" if search is not None else ""
    first = "the first " if pages.num_rows == MAX_FOUND and found else ""
    start, end = pages.first_index + 1, pages.first_index + len(pages.rows)
    return f"{start:,} to {end:,} of {first}{pages.num_rows:,}{found}{searched}"
