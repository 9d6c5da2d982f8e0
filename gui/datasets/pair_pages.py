"""The pairs of one split, a page at a time, filtered by a search text: the model behind the table of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from core.data.prepared_data import PreparedData
from core.overview.pairs import Found, PairRow, find_pairs, read_rows
from gui.bridge import EngineBridge
from gui.datasets.background_iterator import BackgroundIterator
from gui.datasets.data_reader import DataReader

PAGE = 50
_Page = tuple[PreparedData | None, str, tuple[int, ...]]  # data, split, and the pairs of a page


class PairPages(QObject):
    """`rows` are those of the current page; they are read beside the GUI thread."""

    changed = Signal()

    def __init__(self, bridge: EngineBridge, reader: DataReader) -> None:
        super().__init__()
        self.split = "train"
        self.search_text = ""
        self.first_index = 0  # index of the page's first row
        self.rows: list[PairRow] = []
        self.found: Found | None = None  # None: no search text
        self._bridge = bridge
        self._reader = reader
        self._search = BackgroundIterator[Found](bridge, self._handle_found)
        self._requested: _Page | None = None  # the page that was asked for last
        reader.opened.connect(self._restart)

    @property
    def num_rows(self) -> int:
        """The number of rows on all pages."""
        return len(self._indices)

    def watch(self, is_watched: bool) -> None:
        """Search only while this is True: nobody sees the result otherwise."""
        self._search.watch(is_watched)

    def choose_split(self, split: str) -> None:
        if split != self.split:
            self.split = split
            self._restart()

    def search(self, text: str) -> None:
        """Show the pairs that contain this text; all of them if it is empty."""
        if text != self.search_text:
            self.search_text = text
            self._restart()

    def turn_pages(self, pages: int) -> None:
        """Go this many pages forwards (or back, if negative), at most to the last or first page."""
        last = max(0, self.num_rows - 1) // PAGE * PAGE
        self.first_index = min(max(0, self.first_index + pages * PAGE), last)
        self._read()

    @property
    def _indices(self) -> Sequence[int]:
        if self.found is not None:
            return self.found.indices
        return range(len(self._reader.data.split(self.split)) if self._reader.data is not None else 0)

    def _restart(self) -> None:
        data, self.first_index, self.found = self._reader.data, 0, None
        if data is not None and self.search_text:
            self.found = Found(indices=(), num_searched=0, is_done=False)
            self._search.start(find_pairs(data, self.split, self.search_text))
        else:
            self._search.start(None)
        self._read()

    def _handle_found(self, found: Found) -> None:
        self.found = found
        if self._page == self._requested:  # only the number of pages may have changed
            self.changed.emit()
        else:
            self._read()

    @property
    def _page(self) -> _Page:
        return self._reader.data, self.split, tuple(self._indices[self.first_index : self.first_index + PAGE])

    def _read(self) -> None:
        self._requested = wanted = self._page
        data, split, indices = wanted
        if data is None or not indices:
            self._show(wanted, [])
        else:
            read = partial(read_rows, data, split, indices, self._reader.limits)
            self._bridge.run_in_background(read, partial(self._show, wanted))

    def _show(self, wanted: _Page, rows: list[PairRow]) -> None:
        if wanted == self._requested:
            self.rows = rows
            self.changed.emit()
