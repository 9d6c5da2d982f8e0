"""The sentence row: the chosen sentence, and the field for one's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from core.history import History
from core.probes import Probe
from gui.panels.translation.sentence_row import SentenceRow
from gui.sentences.selection import Selection
from gui.theme import Theme
from tests.core.examples import run_folder
from tests.gui.builders import sentence


def test_where_no_probe_can_be_read_it_says_which(qtbot: QtBot, theme: Theme, tmp_path: Path) -> None:
    row, folder = SentenceRow(theme, Selection()), run_folder(tmp_path)
    qtbot.addWidget(row)
    folder.write_probe(Probe(step=8, sentences=(sentence(),)))
    (damaged,) = (folder.path / "probes").iterdir()
    damaged.write_bytes(b"none")
    row.show_step(History.read(folder), 8)
    assert row.is_empty and str(damaged) in row.empty_label.text()
    row.show_step(History(), 0)
    assert row.is_empty and row.empty_label.text() == row.empty_sentence


def test_esc_gives_the_focus_back_where_it_was_and_still_is(
    qtbot: QtBot, theme: Theme, stage: Callable[[QWidget, int, int], None]
) -> None:
    both, edit, row = QWidget(), QLineEdit(), SentenceRow(theme, Selection())
    column = QVBoxLayout(both)
    column.addWidget(edit)
    column.addWidget(row)
    stage(both, 600, 200)
    edit.setFocus()
    row.add_button.click()
    qtbot.keyClick(row.add_edit, Qt.Key.Key_Escape)
    assert both.window().focusWidget() is edit
    row.add_button.click()
    with qtbot.waitSignal(edit.destroyed):  # as those of a form, where another dataset is chosen
        edit.deleteLater()
    qtbot.keyClick(row.add_edit, Qt.Key.Key_Escape)
    assert not row.add_edit.isVisible()
