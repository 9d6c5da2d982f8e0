"""The Plugins view: every dataset plugin with its state; try or check one, write a new one, reload them all."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QShortcut, QShowEvent
from PySide6.QtWidgets import QWidget

from core.errors import UserError
from core.home_paths import shorten_home
from gui.context import Context
from gui.datasets.plugin_checks import PluginChecks
from gui.datasets.plugin_rows import PluginRow
from gui.panels.datasets.plugin_details import LinesPane, about_lines, check_lines
from gui.panels.datasets.plugin_table import PluginTable
from gui.theme import GRID
from gui.view import View
from gui.widgets.buttons import button, set_enabled
from gui.widgets.escapable_edit import EscapableEdit
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.labels import plain_label, set_role
from gui.widgets.splitters import splitter

_LEAST_HEIGHT = 200  # pixels at 100 % of table and texts; if zoom and Setup leave less, the view scrolls
_WITHIN = Qt.ShortcutContext.WidgetWithChildrenShortcut
_NAME_HELP = "Lower-case letters, digits and underscores; Esc cancels"
HINT = "Try puts the chosen dataset into Setup. New … writes a working plugin of your own, to change in an editor."
NOTHING_CHOSEN = "Choose a plugin in the table first"
READING = "Reading the plugins …"
WRITTEN = "{} was written, and works: change it in an editor, then Reload."
RUN_KEEPS_CODE = "The plugins were read again. This run keeps the code it began with; the next one has the new code."


class PluginsView(View):
    """Buttons for the chosen plugin on the left, for all on the right; below them the table, and texts to read."""

    title = "Plugins"
    icon = "plugins"
    help = "Dataset plugins: try, check, write your own"

    tried = Signal(str)  # the name of a plugin to put into Setup

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.checks = PluginChecks(context.bridge)
        self._origin_to_choose = ""  # the origin of a plugin to choose once it is listed
        self._written_file = ""  # the file name of a new plugin, until the note about it is shown
        self.try_button = button("Try", "Put it into Setup and see its data (Enter)")
        self.check_button = button("Check", "Look for faults in it, for up to a minute, also while a run learns")
        self.new_button = button("New …", "Write a working plugin, to be changed, into your plugin folder")
        self.name_edit = EscapableEdit("Name of the new plugin", "Name, such as my_words, and Enter", _NAME_HELP)
        self.reload_button = button("Reload", "Read the plugin files again, also while a run learns (F5)")
        self.folder_button = button("Open folder", "Show your plugin folder in the file manager")
        self.path_label = plain_label(shorten_home(context.plugins.folder), role="muted", is_copyable=True)
        self.note_label = plain_label(role="muted", wraps=True)
        self.table = PluginTable(context.theme)
        self.about = LinesPane("About the plugin")
        self.findings = LinesPane("What its check found")
        self._lay_out()
        self._connect()
        self._show()

    def try_chosen(self) -> None:
        """Put the chosen plugin into Setup."""
        if (row := self.table.selected_row) is not None and row.info.error is None:
            self.tried.emit(row.info.name)

    def check_chosen(self) -> None:
        """Check the chosen plugin, or end the check that runs."""
        if self.checks.running is not None:
            self.checks.stop()
        elif (row := self.table.selected_row) is not None:
            self.checks.start(row.info)

    def write_new(self) -> None:
        """Write the plugin whose name was typed, show it, and open its folder: once, even if Enter is pressed twice."""
        if not self.name_edit.isReadOnly():
            self.name_edit.setReadOnly(True)  # until it is written or refused
            self.context.plugins.write_new(self.name_edit.text().strip(), self._handle_new, self._handle_new_refused)

    def open_folder(self) -> None:
        """Show the user's plugin folder in the file manager; create it if it does not exist."""
        folder = self.context.plugins.folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self.context.bridge.report(
                UserError(f"{folder} cannot be created: {error.strerror}.", "Create it yourself.")
            )
            return
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self._show_note(f"No file manager could be opened; the folder is {folder}", "muted")

    def showEvent(self, event: QShowEvent) -> None:
        self.table.setFocus()

    def _lay_out(self) -> None:
        self.path_label.setAccessibleDescription("Plugin folder")
        self.path_label.setToolTip("Your own plugins; HEADLIGHT_PLUGINS names more folders")
        self.name_edit.hide()
        self._resize()
        self.path_label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        controls = QWidget()
        row = FlowLayout(controls, GRID)
        row.addWidget(self.try_button)
        row.addWidget(self.check_button)
        row.add_stretching(self.path_label)
        row.add_stretching(self.name_edit)  # takes the path's place
        for made in (self.new_button, self.reload_button, self.folder_button):
            row.addWidget(made)
        reading = splitter(Qt.Orientation.Horizontal, (self.about, 1), (self.findings, 1))
        parts = splitter(Qt.Orientation.Vertical, (self.table, 3), (reading, 2))
        self.keep_min_height(parts, _LEAST_HEIGHT)
        column = self.scrolling_column()
        column.addWidget(controls)
        column.addWidget(self.note_label)
        column.addWidget(parts, 1)

    def _resize(self) -> None:
        self.name_edit.setMinimumWidth(self.context.theme.px(264))
        self.note_label.setMinimumHeight(self.note_label.fontMetrics().lineSpacing())  # so that a note shifts nothing

    def _connect(self) -> None:
        plugins = self.context.plugins
        self.try_button.clicked.connect(self.try_chosen)
        self.check_button.clicked.connect(self.check_chosen)
        self.new_button.clicked.connect(self._toggle_edit)
        self.name_edit.returnPressed.connect(self.write_new)
        self.name_edit.escaped.connect(self._cancel_new)
        self.reload_button.clicked.connect(plugins.reload)
        self.folder_button.clicked.connect(self.open_folder)
        self.table.row_opened.connect(self.try_chosen)
        self.table.currentCellChanged.connect(self._show_chosen)
        self.checks.changed.connect(self._show_rows)
        self.context.bridge.prepared.connect(self._clear_note)
        self.context.theme.changed.connect(self._resize)
        plugins.changed.connect(self._show)
        plugins.faults_changed.connect(self._show_rows)
        plugins.busy_changed.connect(self._show)
        plugins.reloaded.connect(self._handle_reload)
        QShortcut("F5", self, context=_WITHIN).activated.connect(self.reload_button.click)

    def _show(self) -> None:
        plugins = self.context.plugins
        set_enabled(self.reload_button, READING if plugins.is_reading else "")
        self._show_note(READING if plugins.is_reading else "", "muted")
        self._show_rows()
        if any(info.origin == self._origin_to_choose for info in plugins.infos):
            self.table.select(self._origin_to_choose)
            self._origin_to_choose = ""

    def _show_rows(self) -> None:
        plugins, reports = self.context.plugins, self.checks.reports
        self.table.show_rows(
            [
                PluginRow(info=info, report=reports.get(info.origin), fault=plugins.faults.get(info.name, ""))
                for info in plugins.infos
            ]
        )
        self._show_chosen()

    def _show_chosen(self) -> None:
        row, running = self.table.selected_row, self.checks.running
        set_enabled(self.try_button, NOTHING_CHOSEN if row is None else row.info.error or "")
        set_enabled(self.check_button, NOTHING_CHOSEN if row is None and running is None else "")
        self.check_button.setText("Check" if running is None else "Stop check")
        self.check_button.setAccessibleName(self.check_button.text())
        if row is not None:
            is_running = running is not None and row.info.origin == running.origin
            self.about.show_lines(about_lines(row))
            self.findings.show_lines(check_lines(row.report, self.checks.stage if is_running else ""))

    def _handle_reload(self) -> None:
        self.checks.clear()
        if self._written_file:
            self._show_note(WRITTEN.format(self._written_file), "muted")
            self._written_file = ""
        elif self.context.workbench.run is not None:
            self._show_note(RUN_KEEPS_CODE, "muted")

    def _toggle_edit(self) -> None:
        self._open_edit(is_open=self.name_edit.isHidden())

    def _open_edit(self, *, is_open: bool) -> None:
        self.name_edit.setVisible(is_open)
        self.path_label.setVisible(not is_open)
        (self.name_edit if is_open else self.table).setFocus()

    def _cancel_new(self) -> None:
        self._open_edit(is_open=False)
        self._show_note("", "muted")

    def _handle_new(self, path: Path) -> None:
        self.name_edit.setReadOnly(False)
        self._cancel_new()
        self.name_edit.clear()
        self._origin_to_choose, self._written_file = str(path.resolve()), path.name
        self.open_folder()

    def _handle_new_refused(self, error: Exception) -> None:
        self.name_edit.setReadOnly(False)
        if not isinstance(error, UserError):
            self.context.bridge.report(error)
        elif not self.name_edit.isHidden():  # else the user gave it up meanwhile
            self._show_note(f"✗ {error}", "error")

    def _clear_note(self) -> None:
        """Drop a note about the previous run: another one is prepared."""
        self._show_note("", "muted")

    def _show_note(self, text: str, role: str) -> None:
        self.note_label.setText(text or HINT)
        set_role(self.note_label, role)
