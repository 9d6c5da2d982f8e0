"""The menu of sentences worth translating."""

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


def test_no_sentence_twice_and_no_empty_section(history: History) -> None:
    assert menu_sections(history) == {"Followed in every probe": ["ich & du", "er"]}


def test_a_click_picks_the_whole_text(history: History, qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    menu = ExampleMenu(lambda: history, parent)
    menu.fill()
    title, first, _ = (action for action in menu.actions() if not action.isSeparator())
    assert title.text() == "Followed in every probe" and not title.isEnabled()
    assert first.text() == "ich && du"  # one & would underline a letter
    with qtbot.waitSignal(menu.picked, timeout=WAIT_MS) as picked:
        first.trigger()
    assert picked.args == ["ich & du"]


def test_without_data_it_says_so(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    menu = ExampleMenu(History, parent)
    menu.fill()
    assert [action.isEnabled() for action in menu.actions()] == [False]
