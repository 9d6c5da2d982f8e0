"""The table of pairs."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from core.overview.pairs import PairRow
from gui.panels.datasets.pair_table import PairTable
from gui.theme import GRID, Theme
from tests.gui.tables import item_at


def test_the_tooltip_of_a_text_gives_its_number_of_tokens(qtbot: QtBot, theme: Theme) -> None:
    table = PairTable(theme)
    qtbot.addWidget(table)
    table.show_rows([PairRow(index=0, src=(("a", True),), tgt=(), is_left_out=False)])
    assert item_at(table, 0, 1).toolTip() == "2 tokens, <eos> counted"
    assert item_at(table, 0, 2).toolTip() == "1 token, <eos> counted"


@pytest.mark.parametrize("zoom", [100, 200])
def test_the_column_of_numbers_is_as_wide_as_they_need(qtbot: QtBot, theme: Theme, zoom: int) -> None:
    table = PairTable(theme)
    theme.set_zoom(zoom)
    qtbot.addWidget(table)
    table.resize(800, 300)
    metrics = table.fontMetrics()

    def lines_of_number() -> float:
        """How many lines of text the number cell takes."""
        option = QStyleOptionViewItem()
        option.rect = QRect(0, 0, table.columnWidth(0), 100)
        height = table.itemDelegate().sizeHint(option, table.model().index(0, 0)).height()
        return (height - GRID) / metrics.lineSpacing()

    table.show_rows([PairRow(index=1, src=(), tgt=(), is_left_out=False)])
    assert table.columnWidth(0) == table.horizontalHeader().sectionSizeHint(0)
    table.show_rows([PairRow(index=28_999, src=(), tgt=(), is_left_out=False)])
    margins = 2 * theme.px(GRID)
    assert metrics.horizontalAdvance("29,000") + margins <= table.columnWidth(0)
    assert lines_of_number() == pytest.approx(1, abs=0.2)
    table.show_rows([PairRow(index=28_999, src=(), tgt=(), is_left_out=True)])
    assert table.columnWidth(0) <= metrics.horizontalAdvance("too long") + margins + 2
    assert lines_of_number() == pytest.approx(2, abs=0.2), "the number, and “too long” below it"
