"""The Runs view: every run with its state and figures; open, continue, follow, delete and compare runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QElapsedTimer, Qt, Signal
from PySide6.QtGui import QHideEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QApplication, QWidget

from core.errors import UserError
from core.home_paths import shorten_home
from core.run_folder import RunFolder, RunLabel
from gui.context import Context
from gui.panels.runs.comparison_pages import ComparisonPages
from gui.panels.runs.run_details import RunDetails
from gui.panels.runs.run_table import RunTable
from gui.panels.runs.shared_runs import SharedRuns
from gui.runs.disabled_reasons import NOTHING_CHOSEN, why_not_continue, why_not_delete, why_not_follow, why_not_open
from gui.runs.rows import RunRow, matches
from gui.runs.run_list import RunList
from gui.runs.run_names import shorten_name
from gui.sentences.tokens import quoted_search
from gui.theme import GRID
from gui.view import View
from gui.widgets.buttons import button, set_enabled
from gui.widgets.dynamic_labels import ElidedLabel
from gui.widgets.escapable_edit import EscapableEdit
from gui.widgets.flow_layout import FlowLayout, side_by_side
from gui.widgets.labels import plain_label
from gui.widgets.splitters import FittingSplitter, splitter

MIN_HEIGHT = 420  # pixels at 100 %: the height at which the table and a comparison can still be read
FEW_ROWS = 126  # pixels at 100 %: three rows of the table and its header
_WITHIN = Qt.ShortcutContext.WidgetWithChildrenShortcut
_SEARCH_HELP = "Runs whose name, folder, state or note contains these words (Ctrl+F; Esc: all)"
EMPTY = "No runs yet. Press Space in Train: every run is kept here."


class RunsView(View):
    """A table of the runs that match the search, and below it the chosen run, or a comparison of several."""

    title = "Runs"
    icon = "runs"
    help = "All runs: open, continue, follow"

    opened = Signal()  # a run was opened, or is followed: Train shows it
    deleted = Signal(Path)
    labelled = Signal(Path)  # a run's name or note has changed

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.run_list = RunList(context.bridge, context.runs_directory)
        self.open_button = button("Open", "Load this run and look at it: curves, attention, translation (Enter)")
        self.continue_button = button("Continue", "Continue learning from the last checkpoint; 1,000 steps if finished")
        self.follow_button = button("Follow", "Watch another process write this run, live and read-only (Enter)")
        self.delete_button = button("Delete", "Move the chosen runs to the trash (Delete)")
        self.search_edit = EscapableEdit("Search runs", "Search", _SEARCH_HELP)
        self.refresh_button = button("Refresh", "Read the runs folder again (F5)")
        self.path_label = ElidedLabel(role="muted")
        self.file_button = button("Open file …", "Open a run that was shared with you; or drop the file on the window")
        self.directory_button = button("Change …", "Keep runs in another folder", name="Change the runs folder")
        self.empty_label = plain_label(EMPTY, wraps=True)
        self.deleted_label = plain_label(role="muted", wraps=True)
        self.table = RunTable(context.theme)
        self.details = RunDetails()
        self.comparison_pages = ComparisonPages(context)
        self.shared = SharedRuns(context, self)
        self._deleted = QElapsedTimer()  # since a click on Delete took effect
        self._lay_out()
        self._connect()
        self._show_actions()

    def _refresh_all(self) -> None:
        """Read everything again at the user's request, also what could not be read."""
        self.comparison_pages.retry()
        self.run_list.refresh()

    def open_chosen(self) -> None:
        """Load the chosen run and show it."""
        if (row := self.table.selected_row) is not None and not why_not_open(row):
            if self._is_current(row):
                self.context.follower.stop_following()
            else:
                self.context.workbench.open_run(row.path)
            self.opened.emit()

    def continue_chosen(self) -> None:
        """Load the chosen run and go on learning."""
        if (row := self.table.selected_row) is not None and not why_not_continue(row):
            if not self._is_current(row):
                self.context.workbench.continue_run(row.path)
            elif self.context.bridge.state != "learning":
                self.context.workbench.toggle()
            self.opened.emit()

    def _is_current(self, row: RunRow) -> bool:
        """Whether this is the current run, and no other is being opened: loading it again would only pause it."""
        workbench = self.context.workbench
        return row.is_ours and row.path == workbench.run and not workbench.is_opening

    def follow_chosen(self) -> None:
        """Follow the chosen run, which another process writes."""
        if (row := self.table.selected_row) is not None and not self._why_not_follow(row):
            self.context.follower.follow(row.path)
            self.opened.emit()

    def delete_chosen(self) -> None:
        """Move the chosen runs to the trash, and choose the run below the last of them."""
        if not self._why_not_delete():
            rows = self.table.selected_rows
            self.table.select(self._below(rows))
            self.run_list.delete(rows)

    def _handle_deleted(self, gone: Sequence[RunRow], num_chosen: int) -> None:
        if len(gone) == 1:
            what = f"{shorten_name(gone[0].name)} ({gone[0].path.name}) is"
        else:
            what = f"{len(gone)} {'' if len(gone) == num_chosen else f'of {num_chosen} '}runs are"
        self.deleted_label.setText(f"{what} in the desktop's trash, and can be restored from there.")
        self.deleted_label.setVisible(bool(gone))
        for row in gone:
            self.deleted.emit(row.path)

    def _click_delete(self) -> None:
        """Delete, but not at the second click of a double click, which would hit the run that took the row."""
        if not self._deleted.isValid() or self._deleted.hasExpired(QApplication.doubleClickInterval()):
            self.delete_chosen()
            self._deleted.start()  # only now: drawing many rows again may take longer than a double click

    def _label(self, run: Path, label: RunLabel) -> None:
        """Write a run's name and note, beside the GUI thread."""
        write, take = partial(_write_label, run, label), partial(self._handle_label, run)
        self.context.bridge.run_in_background(write, take, partial(self._handle_label_error, run))

    def _handle_label_error(self, run: Path, error: Exception) -> None:
        self.details.keep_edits(run)
        self.context.bridge.report(error)
        self.run_list.refresh()

    def _handle_label(self, run: Path, _: None) -> None:
        self.labelled.emit(run)
        self.run_list.refresh()

    def _branch(self, run: Path, step: int) -> None:
        """Begin a new run from a step of this one."""
        self.context.workbench.branch(run, step)
        self.opened.emit()

    def _show_shared(self, run: Path, path: Path, size: str) -> None:
        self.details.show_message(run, f"Shared as {shorten_home(path)}, {size}")

    def _below(self, rows: Sequence[RunRow]) -> Path | None:
        """The run below the last of these rows, or else the lowest of the others."""
        below = self.table.rows[self.table.rows.index(rows[-1]) + 1 :]
        others = [row for row in self.table.rows if row not in rows]
        nearest = below[:1] or others[-1:]
        return nearest[0].path if nearest else None

    def showEvent(self, event: QShowEvent) -> None:
        self.run_list.watch()
        self.table.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        self.deleted_label.hide()
        self.run_list.unwatch()

    def _lay_out(self) -> None:
        self.path_label.setAccessibleDescription("Runs folder")
        self._show_directory_path()
        self.empty_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty_label.hide()
        self.deleted_label.hide()
        folder_row = side_by_side(self.path_label, self.directory_button, self.refresh_button)
        inner = folder_row.layout()
        assert inner is not None
        inner.setContentsMargins(0, 0, 0, 0)  # so that it ends where the table below does
        actions = QWidget()
        row = FlowLayout(actions, GRID)
        for widget in (
            *(self.open_button, self.continue_button, self.follow_button, self.delete_button),
            *(self.file_button, self.search_edit, folder_row),
        ):
            row.addWidget(widget)
        below = splitter(Qt.Orientation.Horizontal, (self.details, 1), (self.comparison_pages, 3))
        self.table_splitter = FittingSplitter(self.table, below, lambda: self.table.needed_height)
        self.keep_min_height(self.table_splitter, MIN_HEIGHT)
        column = self.scrolling_column()
        column.addWidget(actions)
        column.addWidget(self.deleted_label)
        column.addWidget(self.empty_label)
        column.addWidget(self.table_splitter, 1)
        self.add_panels(*self.comparison_pages.panels)

    def _connect(self) -> None:
        self.run_list.changed.connect(self._search)
        self.run_list.deleted.connect(self._handle_deleted)
        self.open_button.clicked.connect(self.open_chosen)
        self.continue_button.clicked.connect(self.continue_chosen)
        self.follow_button.clicked.connect(self._follow_or_stop)
        self.context.follower.changed.connect(self._show_actions)
        self.directory_button.clicked.connect(self._ask_for_directory)
        self.context.runs_directory.changed.connect(self._show_directory_path)
        self.refresh_button.clicked.connect(self._refresh_all)
        self.delete_button.clicked.connect(self._click_delete)
        self.search_edit.textChanged.connect(self._search)
        self.search_edit.escaped.connect(self.search_edit.clear)
        self.search_edit.escaped.connect(self.table.setFocus)
        self.details.label_edited.connect(self._label)
        self.file_button.clicked.connect(self.shared.ask_and_open)
        self.details.share_requested.connect(self.shared.ask_and_write)
        self.shared.written.connect(self._show_shared)
        self.shared.opened.connect(self.opened)
        self.details.branch_requested.connect(self._branch)
        self.details.editing_ended.connect(self.table.setFocus)
        self.table.row_opened.connect(self._open_or_follow)
        self.table.currentCellChanged.connect(self._show_actions)
        self.table.itemSelectionChanged.connect(self._show_choice)
        for keys, where, act in (
            ("Ctrl+F", self, self.search_edit.setFocus),
            ("F5", self, self._refresh_all),
            ("F2", self.table, self.details.edit_name),
            ("Delete", self.table, self.delete_chosen),
        ):  # a held Delete must not take one run after another
            QShortcut(keys, where, context=_WITHIN, autoRepeat=False).activated.connect(act)
        self.context.theme.changed.connect(self._fit_table)
        self.context.theme.changed.connect(self._show_letters)
        self.comparison_pages.letters_changed.connect(self._show_letters)
        bridge = self.context.bridge
        for signal in (bridge.run_started, bridge.run_finished, bridge.state_changed):
            signal.connect(self._show_actions)

    def _ask_for_directory(self) -> None:
        if (path := self.context.runs_directory.ask(self)) is not None:
            self.context.runs_directory.choose(path)

    def _show_directory_path(self) -> None:
        path = shorten_home(self.context.runs_directory.path)
        self.path_label.setText(path)
        self.path_label.setToolTip(f"{path}: where runs are kept; HEADLIGHT_RUNS_DIR names another folder")

    def _open_or_follow(self) -> None:
        """Follow a run that another process writes, or say why not; open any other run."""
        row = self.table.selected_row
        if row is None or row.writer is None:
            self.open_chosen()
        elif why_not := self._why_not_follow(row):
            self.context.bridge.show_refusal(UserError(f"{why_not}."))
        else:
            self.follow_chosen()

    def _follow_or_stop(self) -> None:
        if self.context.follower.run is not None:
            self.context.follower.stop_following()
        else:
            self.follow_chosen()

    def _show_choice(self) -> None:
        """Show the chosen runs. A click makes a row current before it selects it, so this is called last."""
        self._show_actions()
        self.comparison_pages.compare(self.table.selected_rows)

    def _show_letters(self) -> None:
        self.table.show_letters(self.comparison_pages.letters)

    def _search(self) -> None:
        """Show the runs that match the search."""
        text = self.search_edit.text()
        found = [row for row in self.run_list.rows if matches(row, text)]
        self.table.show_rows(found)
        self._fit_table()
        found_none = f"No run matches {quoted_search(text)}. Esc shows all."
        self.empty_label.setText(found_none if text else EMPTY)
        self.empty_label.setVisible(not found or (not text and all(row.is_example for row in found)))
        self._show_choice()

    def _fit_table(self) -> None:
        """Give the table the height it needs, but only a few rows if the parts below need much."""
        self.table.setMinimumHeight(min(self.table.needed_height, self.context.theme.px(FEW_ROWS)))
        self.table_splitter.fit()

    def _show_actions(self) -> None:
        row = self.table.selected_row
        self.details.show_row(row)
        self.details.setVisible(len(self.table.selected_rows) < 2)  # the comparison of several needs the room
        set_enabled(self.open_button, why_not_open(row))
        set_enabled(self.continue_button, why_not_continue(row))
        set_enabled(self.delete_button, self._why_not_delete())
        is_following = self.context.follower.run is not None
        self.follow_button.setText("Stop following" if is_following else "Follow")
        self.follow_button.setAccessibleName(self.follow_button.text())
        set_enabled(self.follow_button, "" if is_following else self._why_not_follow(row))

    def _why_not_delete(self) -> str:
        has_open, followed = self.context.workbench.has_open, self.context.follower.run
        reasons = [
            why_not_delete(row, is_open=has_open(row.path), is_followed=row.path == followed)
            for row in self.table.selected_rows
        ]
        return next(filter(None, reasons), "") if reasons else NOTHING_CHOSEN

    def _why_not_follow(self, row: RunRow | None) -> str:
        return why_not_follow(row, self.context.bridge.state)


def _write_label(run: Path, label: RunLabel) -> None:
    RunFolder.open(run).write_label(label)
