"""The sentence row: the chosen sentence, and the field for the user's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from core.events import ProbeDone
from core.history import History
from core.probes import Probe
from gui.main_window import MainWindow
from gui.panels.translation.sentence_row import SentenceRow
from gui.sentences.selection import Selection
from gui.theme import Theme
from tests.core.examples import run_folder
from tests.gui.builders import feed, sentence
from tests.gui.conftest import WAIT_MS
from tests.gui.waiting import wait_for


def test_an_unreadable_probe_is_named(qtbot: QtBot, theme: Theme, tmp_path: Path) -> None:
    row, folder = SentenceRow(theme, Selection()), run_folder(tmp_path)
    qtbot.addWidget(row)
    folder.write_probe(Probe(step=8, sentences=(sentence(),)))
    (damaged,) = (folder.path / "probes").iterdir()
    damaged.write_bytes(b"none")
    row.show_step(History.read(folder), 8)
    assert row.is_empty and str(damaged) in row.empty_label.text()
    row.show_step(History(), 0)
    assert row.is_empty and row.empty_label.text() == row.empty_sentence


def test_it_says_from_which_token_on_the_free_run_is_wrong(qtbot: QtBot, theme: Theme, history: History) -> None:
    row, right = SentenceRow(theme, Selection()), replace(sentence(), free_running=feed(("i", "want", "<eos>"), 3))
    qtbot.addWidget(row)
    history.apply(ProbeDone(probe=Probe(step=310, sentences=(right,))))
    for step, verdict, output in ((300, "✗ from token 2 on", "i do want"), (310, "✓ right", "i want")):
        row.show_step(history, step)
        assert (row.verdict_label.text(), row.output_label.toolTip()) == (verdict, output)
        assert row.output_label.text().startswith("i ") and ("underline" in row.output_label.text()) == (step == 300)


def test_its_arrows_say_when_there_is_no_other_sentence(qtbot: QtBot, theme: Theme) -> None:
    row, history = SentenceRow(theme, Selection()), History()
    qtbot.addWidget(row)
    arrows, seen = (row.previous_button, row.next_button), []
    for sources in ((), ("a",), ("a", "b")):
        if sources:
            history.apply(ProbeDone(probe=Probe(step=len(sources), sentences=tuple(map(sentence, sources)))))
        row.show_step(history, len(sources))
        seen.append([arrow.toolTip() if not arrow.isEnabled() else "" for arrow in arrows])
    assert seen == [["There are no sentences yet"] * 2, ["This is the only sentence"] * 2, [""] * 2]


def test_unknown_words_are_shown_as_the_model_reads_them(qtbot: QtBot, window: MainWindow) -> None:
    row, history = window.train_view.sentence_row, window.context.bridge.history
    assert not row.tokens_label.isVisible()
    known = history.probes.sentences[0].split()[0]
    row.add_button.click()
    qtbot.keyClicks(row.add_edit, f"{known} zebra")
    qtbot.keyClick(row.add_edit, Qt.Key.Key_Return)
    qtbot.waitUntil(row.tokens_label.isVisible, timeout=WAIT_MS)
    assert row.source_label.text() == f"{known} zebra"
    assert row.tokens_label.text() == f"read as {known} <unk>"
    row.show_next()
    qtbot.waitUntil(lambda: not row.tokens_label.isVisible(), timeout=WAIT_MS)
    row.show_previous()
    qtbot.waitUntil(row.tokens_label.isVisible, timeout=WAIT_MS)
    window.context.bridge.forget_run()  # as when other data are refused
    qtbot.waitUntil(lambda: row.is_empty and not row.tokens_label.isVisible(), timeout=WAIT_MS)


def test_the_field_for_my_sentence_takes_the_place_of_the_source(qtbot: QtBot, window: MainWindow) -> None:
    row, theme = window.train_view.sentence_row, window.context.theme
    window.resize(1280, 720)
    for zoom in (100, 200):
        theme.set_zoom(zoom)
        row.add_button.click()
        needed = row.add_edit.fontMetrics().horizontalAdvance(row.add_edit.placeholderText()) + theme.px(24)
        wait_for(qtbot, lambda needed: row.add_edit.contentsRect().width() > needed, needed)
        assert not row.source_label.isVisible()
        qtbot.keyClick(row.add_edit, Qt.Key.Key_Escape)
        assert row.source_label.isVisible()


def test_a_shortened_sentence_is_marked_and_complete_in_its_tooltip(
    qtbot: QtBot, theme: Theme, history: History, stage: Callable[[QWidget, int, int], None]
) -> None:
    row = SentenceRow(theme, Selection())
    stage(row, 1000, 200)
    row.show_step(history, 0)
    assert row.output_label.toolTip() == "i do want"
    for label, text in ((row.source_label, "ich will"), (row.reference_label, "i want")):
        assert label.toolTip() == label.text() == text
        complete = label.grab().toImage()
        label.setFixedSize(label.sizeHint().width() - 8, complete.height())
        shortened = label.grab().toImage()
        assert shortened != complete.copy(shortened.rect())  # not simply clipped
        label.setSelection(0, len(text))
        assert label.grab().toImage() != shortened


def test_esc_returns_the_focus_to_the_previous_widget_if_it_still_exists(
    qtbot: QtBot, theme: Theme, stage: Callable[[QWidget, int, int], None]
) -> None:
    parent, edit, row = QWidget(), QLineEdit(), SentenceRow(theme, Selection())
    column = QVBoxLayout(parent)
    column.addWidget(edit)
    column.addWidget(row)
    stage(parent, 600, 200)
    edit.setFocus()
    row.add_button.click()
    qtbot.keyClick(row.add_edit, Qt.Key.Key_Escape)
    assert parent.window().focusWidget() is edit
    row.add_button.click()
    with qtbot.waitSignal(edit.destroyed, timeout=WAIT_MS):  # as when another dataset replaces a form
        edit.deleteLater()
    qtbot.keyClick(row.add_edit, Qt.Key.Key_Escape)
    assert not row.add_edit.isVisible()


def test_a_refused_sentence_is_restored_in_the_field(
    qtbot: QtBot, theme: Theme, stage: Callable[[QWidget, int, int], None]
) -> None:
    row = SentenceRow(theme, Selection())
    stage(row, 600, 200)
    row.sentence_added.connect(row.restore_text)  # as while another run is being opened
    row.add_button.click()
    qtbot.keyClicks(row.add_edit, "1 2 3")
    qtbot.keyClick(row.add_edit, Qt.Key.Key_Return)
    assert row.add_edit.isVisible() and row.add_edit.text() == "1 2 3"
