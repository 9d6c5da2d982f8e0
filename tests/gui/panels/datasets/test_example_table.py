"""The examples behind the figures of a dataset."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gui.panels.datasets.example_table import Example, ExampleTable
from gui.theme import Theme
from gui.widgets.labels import literal_tooltip
from tests.gui.tables import item_at


def test_a_tooltip_shows_the_text_of_a_sentence_literally(qtbot: QtBot, theme: Theme) -> None:
    table = ExampleTable(theme)
    qtbot.addWidget(table)
    table.show_rows([Example("train", "repeated", "<p>Click <b>OK</b>", 2)])
    assert item_at(table, 0, 1).toolTip() == literal_tooltip("<p>Click <b>OK</b>")
