"""A run gets a name and a note, and is shared as one file."""

from __future__ import annotations

import errno
import math
import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from core.run_folder import RunFolder, RunLabel
from gui.main_window import MainWindow
from gui.runs.rows import example_path
from gui.views.runs import RunsView
from tests.gui.conftest import WAIT_MS
from tests.gui.views.runs.steps import names, row_of, text


def test_a_run_gets_a_name_and_a_note_and_keeps_its_folder(three_runs: RunsView, qtbot: QtBot) -> None:
    view, run = three_runs, three_runs.context.runs_directory.path / "2026-01-02_b"
    qtbot.keyClick(view.table, Qt.Key.Key_F2)
    assert view.details.name_edit.hasFocus() and view.details.name_edit.hasSelectedText()
    qtbot.keyClicks(view.details.name_edit, "Smaller <unk>")
    qtbot.keyClick(view.details.name_edit, Qt.Key.Key_Return)
    assert view.table.hasFocus()
    row_of(view, qtbot, lambda row: row.name == "Smaller <unk>" and row.path == run)
    view.details.note_edit.setFocus()
    qtbot.keyClicks(view.details.note_edit, "half the width")
    view.run_list.refresh()  # as the timer does while the user types
    qtbot.waitUntil(lambda: not view.run_list._is_reading, timeout=WAIT_MS)
    assert view.details.note_edit.toPlainText() == "half the width"
    qtbot.keyClick(view.details.note_edit, Qt.Key.Key_Tab)
    number = row_of(view, qtbot, lambda row: row.note == "half the width")
    assert text(view, number)[0] == "Smaller <unk>" and text(view, number)[8] == "half the width"
    assert RunFolder.open(run).label() == RunLabel(name="Smaller <unk>", note="half the width")
    qtbot.keyClicks(view.search_edit, "WIDTH")
    assert names(view) == ["2026-01-02_b"]


def test_a_refresh_keeps_cursor_and_selection_in_the_fields(three_runs: RunsView, qtbot: QtBot) -> None:
    view, details = three_runs, three_runs.details
    details.note_edit.setFocus()
    qtbot.keyClicks(details.note_edit, "half the width")
    qtbot.keyClick(details.note_edit, Qt.Key.Key_Tab)
    row_of(view, qtbot, lambda row: row.note == "half the width")
    cursor = details.note_edit.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.insertText(" ")  # the next word is about to be typed
    details.note_edit.setTextCursor(cursor)
    view.table.setFocus()
    qtbot.keyClick(view.table, Qt.Key.Key_F2)
    view.run_list.refresh()  # as the timer does while a run learns
    qtbot.waitUntil(lambda: not view.run_list._is_reading, timeout=WAIT_MS)
    assert details.name_edit.selectedText() == details.name_edit.text() != ""
    assert details.note_edit.textCursor().position() == len("half the width ")


def test_a_refused_note_stays_in_its_field(three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot) -> None:
    view, note = three_runs, three_runs.details.note_edit
    note.setFocus()
    note.setPlainText("long " * 2_001)
    qtbot.keyClick(note, Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: empty_window.trouble_strip.trouble is not None, timeout=WAIT_MS)
    assert "10,000 are kept" in empty_window.trouble_strip.sentence.text()
    view.run_list.refresh()  # as the timer does
    qtbot.waitUntil(lambda: not view.run_list._is_reading, timeout=WAIT_MS)
    assert note.toPlainText() == "long " * 2_001
    note.setFocus()
    note.setPlainText("short")
    qtbot.keyClick(note, Qt.Key.Key_Tab)
    row_of(view, qtbot, lambda row: row.note == "short")


def test_a_name_that_cannot_be_written_is_reported_without_offering_a_folder(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = three_runs.table.selected_row
    assert chosen is not None

    def refuse(*_: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("core.run_folder.write_atomically", refuse)  # as on a read-only disk
    three_runs._label(chosen.path, RunLabel(name="mine"))
    qtbot.waitUntil(lambda: empty_window.trouble_strip.trouble is not None, timeout=WAIT_MS)
    assert f"{chosen.path / 'label.json'} cannot be written" in empty_window.trouble_strip.sentence.text()
    assert not empty_window.trouble_strip.offer_button.isVisible()


def test_a_note_sets_no_name_and_a_pasted_name_becomes_one_line(three_runs: RunsView, qtbot: QtBot) -> None:
    view, run = three_runs, RunFolder.open(three_runs.context.runs_directory.path / "2026-01-02_b")
    for note in ("half the width", "and more"):
        view.details.note_edit.setFocus()
        qtbot.keyClicks(view.details.note_edit, note)
        qtbot.keyClick(view.details.note_edit, Qt.Key.Key_Tab)
        row_of(view, qtbot, lambda row, note: note in row.note, note)
        assert run.label().name == ""
    view.table.setFocus()
    qtbot.keyClick(view.table, Qt.Key.Key_F2)
    QGuiApplication.clipboard().setText("first\nsecond\tcell")
    view.details.name_edit.paste()
    qtbot.keyClick(view.details.name_edit, Qt.Key.Key_Return)
    row_of(view, qtbot, lambda row: row.name == "first second cell" and not row.problem)


def test_a_shared_file_gets_the_runs_name_and_its_size_is_shown(
    three_runs: RunsView, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, proposed = three_runs, list[str]()

    def propose(_over: QWidget, _title: str, start: str, _kinds: str) -> tuple[str, str]:
        proposed.append(Path(start).name)
        return str(tmp_path / "given.headlight"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", propose)
    view.details.share_button.click()
    qtbot.waitUntil(lambda: "Shared as" in view.details.about_label.text(), timeout=WAIT_MS)
    megabytes = math.ceil((tmp_path / "given.headlight").stat().st_size / 1e6)
    assert f"given.headlight, {megabytes} MB" in view.details.about_label.text()
    (tmp_path / "given.headlight").unlink()
    qtbot.keyClick(view.table, Qt.Key.Key_F2)
    qtbot.keyClicks(view.details.name_edit, "Half/width: <unk>")
    qtbot.keyClick(view.details.name_edit, Qt.Key.Key_Return)
    row_of(view, qtbot, lambda row: row.given_name == "Half/width: <unk>")
    view.details.share_button.click()
    qtbot.waitUntil((tmp_path / "given.headlight").exists, timeout=WAIT_MS)
    assert proposed == ["2026-01-02_b.headlight", "Half_width_unk.headlight"]


def test_esc_restores_the_name_and_the_example_cannot_be_renamed(three_runs: RunsView, qtbot: QtBot) -> None:
    details = three_runs.details
    qtbot.keyClick(three_runs.table, Qt.Key.Key_F2)
    before = details.name_edit.text()
    qtbot.keyClicks(details.name_edit, "x")
    qtbot.keyClick(details.name_edit, Qt.Key.Key_Escape)
    assert details.name_edit.text() == before and three_runs.table.hasFocus()
    assert not (three_runs.context.runs_directory.path / "2026-01-02_b" / "label.json").exists()
    three_runs.table.select(example_path())
    assert not details.name_edit.isEnabled() and "keeps its name" in details.name_edit.toolTip()
    assert "keeps its name and note" in details.note_edit.placeholderText()  # shown instead of a note
