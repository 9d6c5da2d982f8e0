"""The button that exports a panel's picture, and the numbers behind it, to a file or the clipboard."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from core.errors import UserError
from core.home_paths import shorten_home
from gui.bridge import EngineBridge
from gui.panel import Panel, Table
from gui.pictures.picture_file import FORMATS, encoders_of, render_image
from gui.redraw_scheduler import RedrawScheduler
from gui.widgets.buttons import IconButton
from gui.widgets.save_dialog import ask_where_to_save, save_file

_INVALID_IN_NAME = re.compile(r"[^\w.]+")
_LONGEST_NAME = 80


class ExportButton(IconButton):
    """Opens a menu of four actions: save or copy the picture or the numbers. Pictures are in the light theme."""

    def __init__(self, panel: Panel, bridge: EngineBridge, scheduler: RedrawScheduler) -> None:
        name = f"Export: {panel.title}"
        super().__init__(panel.theme, "export", name, "Save or copy this picture and its numbers (opens a menu)")
        self._panel, self._bridge, self._scheduler = panel, bridge, scheduler
        menu = QMenu(self)
        menu.setAccessibleName(name)
        acts: tuple[tuple[str, Callable[[], None]], ...] = (
            ("Save picture …", lambda: self._run_or_report(self._save_picture)),
            ("Copy picture", self.copy_picture),
            ("Save numbers …", lambda: self._run_or_report(self._save_numbers)),
            ("Copy numbers", self.copy_numbers),
        )
        for text, act in acts:
            menu.addAction(text).triggered.connect(act)
        menu.aboutToShow.connect(self._enable_actions)
        self.setMenu(menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def copy_picture(self) -> None:
        """Put the picture on the clipboard as an image."""
        self._run_or_report(self._copy_picture)

    def copy_numbers(self) -> None:
        """Put the numbers on the clipboard as CSV."""
        self._run_or_report(lambda: QGuiApplication.clipboard().setText(self._numbers()))

    def _copy_picture(self) -> None:
        with self._exporting() as parts:
            QGuiApplication.clipboard().setImage(render_image(parts))

    def _numbers(self) -> str:
        self._draw()
        return csv_of(self._panel.numbers())

    def _save_picture(self) -> None:
        kinds = {suffix: suffix[1:].upper() for suffix in FORMATS}
        with self._exporting() as parts:  # before asking for a file: the picture changes while a run learns
            drawn = encoders_of(parts, self._panel.accessibleName())
        if (path := self._ask_path("Save picture", kinds)) is not None:
            self._write(path, drawn[path.suffix.lower()]())

    @contextmanager
    def _exporting(self) -> Iterator[Sequence[QWidget]]:
        """The picture's widgets, drawn for a file; on exit the panel is drawn for the screen again."""
        try:
            with self._panel.theme.exporting():
                self._draw()
                with self._panel.exporting():
                    yield self._panel.export_widgets()
        finally:
            self._scheduler.draw_completely(self._panel)

    def _save_numbers(self) -> None:
        numbers = self._numbers()
        if (path := self._ask_path("Save numbers", {".csv": "Tables"})) is not None:
            self._write(path, numbers.encode())

    def _write(self, path: Path, data: bytes) -> None:
        save_file(path, data)
        self._bridge.message.emit(f"Saved as {shorten_home(path)}")

    def _ask_path(self, title: str, kinds: Mapping[str, str]) -> Path | None:
        name = _INVALID_IN_NAME.sub("_", self._panel.accessibleName().lower())[:_LONGEST_NAME].strip("_")
        return ask_where_to_save(self, title, name + next(iter(kinds)), kinds)

    def _run_or_report(self, act: Callable[[], None]) -> None:
        try:
            act()
        except UserError as error:
            self._bridge.report(error)

    def _enable_actions(self) -> None:
        """Disable the actions while the panel has nothing to show; their tooltips then say so."""
        self.menu().setToolTipsVisible(self._panel.is_empty)
        for action in self.menu().actions():
            action.setEnabled(not self._panel.is_empty)
            action.setToolTip("There is nothing to export yet" if self._panel.is_empty else "")

    def _draw(self) -> None:
        """Draw the panel as of now: since the menu opened, its content may have changed or gone."""
        self._scheduler.draw_completely(self._panel)
        if self._panel.is_empty:
            raise UserError(
                f"{self._panel.accessibleName()}: there is nothing left to export; it has become empty.",
                "Export it once it shows something again.",
            )


def csv_of(table: Table) -> str:
    """The table as CSV (RFC 4180, except that lines end with a line feed)."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table)
    return text.getvalue()
