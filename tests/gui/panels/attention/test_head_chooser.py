"""The bar that chooses a head."""

from __future__ import annotations

from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.history import History
from core.probes import ProbedSentence
from gui.panels.attention.head_chooser import HeadChooser
from gui.sentences.selection import Selection
from gui.sentences.shown_sentence import NothingShown, ShownSentence
from gui.theme import Theme
from tests.gui.builders import sentence


def chooser_of(
    qtbot: QtBot, shown: ProbedSentence | None, *, has_feeds: bool = True, has_lines: bool = True
) -> tuple[HeadChooser, Selection]:
    selection = Selection()
    source = lambda history, step: NothingShown() if shown is None else ShownSentence(shown, 7)  # noqa: E731
    chooser = HeadChooser(Theme("light"), selection, source, has_feeds=has_feeds, has_lines=has_lines)
    qtbot.addWidget(chooser)
    chooser.show_step(History(), 7)
    return chooser, selection


def shortcuts_of(view: QWidget) -> dict[str, QShortcut]:
    return {shortcut.key().toString(): shortcut for shortcut in view.findChildren(QShortcut)}


def test_it_shows_the_chosen_head_and_the_number_of_heads(qtbot: QtBot) -> None:
    chooser, selection = chooser_of(qtbot, sentence())
    assert chooser.kind_combo.currentText() == "cross"
    assert (chooser.layer_spin.text(), chooser.head_spin.text()) == ("2 of 2", "1 of 4")  # layer -1 is the last one
    selection.choose(kind="encoder_self", layer=0, head=3)
    chooser.show_step(History(), 7)
    assert chooser.kind_combo.currentText() == "encoder self"
    assert (chooser.layer_spin.text(), chooser.head_spin.text()) == ("1 of 2", "4 of 4")


def test_drawing_does_not_change_the_selection(qtbot: QtBot) -> None:
    chooser, selection = chooser_of(qtbot, sentence())
    selection.choose(layer=-1, head=9)
    before = selection.chosen
    chooser.show_step(History(), 7)
    assert selection.chosen == before
    assert chooser.head_spin.text() == "2 of 4"  # head 9 of four wraps around


def test_controls_change_the_selection(qtbot: QtBot) -> None:
    chooser, selection = chooser_of(qtbot, sentence())
    chooser.layer_spin.stepUp()
    chooser.head_spin.stepDown()
    chooser.scale_box.click()
    assert (selection.chosen.layer, selection.chosen.head, selection.chosen.square_root) == (0, 3, True)
    chooser.feed_combo.activated.emit(1)
    assert selection.chosen.free_running


def test_a_feed_that_cannot_be_chosen_says_why(qtbot: QtBot) -> None:
    chooser, _ = chooser_of(qtbot, sentence(has_reference=False))
    assert not chooser.feed_combo.isEnabled()
    assert chooser.feed_combo.currentText() == "free-running"
    assert "has no reference" in chooser.feed_combo.toolTip()


def test_without_feeds_it_has_no_combo_box_for_them(qtbot: QtBot) -> None:
    chooser, _ = chooser_of(qtbot, sentence(), has_feeds=False)
    assert not chooser.feed_combo.isVisibleTo(chooser) and chooser.kind_combo.isVisibleTo(chooser)


def test_without_lines_it_has_neither_their_check_box_nor_their_key(qtbot: QtBot) -> None:
    view = QWidget()
    qtbot.addWidget(view)
    chooser, _ = chooser_of(qtbot, sentence(), has_lines=False)
    chooser.add_shortcuts(view)
    assert not chooser.lines_box.isVisibleTo(chooser) and chooser.scale_box.isVisibleTo(chooser)
    assert "Alt+L" not in shortcuts_of(view)


def test_without_a_sentence_it_says_that_nothing_can_be_chosen(qtbot: QtBot) -> None:
    chooser, _ = chooser_of(qtbot, None)
    assert chooser.empty_label.isVisibleTo(chooser) and not chooser.kind_combo.isVisibleTo(chooser)


def test_it_adds_its_shortcuts_to_the_view(qtbot: QtBot) -> None:
    view = QWidget()
    qtbot.addWidget(view)
    chooser, selection = chooser_of(qtbot, sentence())
    chooser.add_shortcuts(view)
    shortcuts = shortcuts_of(view)
    assert set(shortcuts) == {"Alt+Up", "Alt+Down", "Alt+Left", "Alt+Right", "Alt+L", "Alt+K", "Alt+F"}
    repeating = {keys for keys, shortcut in shortcuts.items() if shortcut.autoRepeat()}
    assert repeating == {"Alt+Up", "Alt+Down", "Alt+Left", "Alt+Right"}
    shortcuts["Alt+K"].activated.emit()
    assert selection.chosen.kind == "encoder_self"
