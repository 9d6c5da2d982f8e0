"""The menu of sentences to translate."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.events import ProbeDone
from core.history import History
from core.probes import Probe
from gui.sentences.example_menu import ExampleMenu, menu_sections
from tests.gui.builders import sentence
from tests.gui.conftest import WAIT_MS


@pytest.fixture
def history() -> History:
    made = History()
    made.apply(ProbeDone(probe=Probe(step=0, sentences=(sentence("ich & du"), sentence("ich & du"), sentence("er")))))
    return made


def test_sentences_are_listed_once_and_empty_sections_left_out(history: History) -> None:
    assert menu_sections(history) == {"Followed in every probe": ["ich & du", "er"]}


def test_a_click_picks_the_literal_text(history: History, qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    menu = ExampleMenu(lambda: history, parent)
    menu.fill()
    title, first, _ = (action for action in menu.actions() if not action.isSeparator())
    assert title.text() == "Followed in every probe" and not title.isEnabled()
    assert first.text() == "ich && du"  # a single & would underline a letter
    with qtbot.waitSignal(menu.picked, timeout=WAIT_MS) as picked:
        first.trigger()
    assert picked.args == ["ich & du"]


def test_without_data_the_menu_has_only_a_disabled_entry(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    menu = ExampleMenu(History, parent)
    menu.fill()
    assert [action.isEnabled() for action in menu.actions()] == [False]
