"""The table of pairs."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from core.overview.pairs import PairRow
from gui.panels.datasets.pair_table import PairTable
from gui.theme import Theme
from tests.gui.tables import item_at


def test_a_row_says_how_many_tokens_it_has(qtbot: QtBot, theme: Theme) -> None:
    table = PairTable(theme)
    qtbot.addWidget(table)
    table.show_rows([PairRow(index=0, src=(("a", True),), tgt=(), is_left_out=False)])
    assert item_at(table, 0, 1).toolTip() == "2 tokens, <eos> counted"
    assert item_at(table, 0, 2).toolTip() == "1 token, <eos> counted"
