"""The widths of the columns of the table of runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.panels.runs.run_table import RunTable
from gui.runs.rows import RunRow
from gui.theme import Theme
from tests.gui.tables import column_texts, item_at

Stage = Callable[[QWidget, int, int], None]
NAME = "toy_german_english"


def row(number: int, note: str = "") -> RunRow:
    return RunRow(path=Path(f"/runs/{number}"), name=NAME, state="paused here", step=1000, best_loss=2.5, note=note)


def test_a_name_is_not_cut_while_other_columns_have_space_to_spare(stage: Stage, theme: Theme) -> None:
    table = RunTable(theme)
    theme.set_zoom(150)
    stage(table, 1128, 300)  # as in a window of 1280 pixels
    table.show_rows([row(1), row(2)])
    needed = table.fontMetrics().horizontalAdvance(NAME) + 2 * theme.px(8)
    assert needed <= table.columnWidth(0)
    before = table.columnWidth(0)
    table.show_letters({Path("/runs/1"): ("A", theme.colour("training")), Path("/runs/2"): ("B", theme.colour("bad"))})
    assert table.columnWidth(0) == before, "choosing a second run must not move the columns"


def test_the_column_of_notes_is_hidden_without_notes(stage: Stage, theme: Theme) -> None:
    table = RunTable(theme)
    stage(table, 1128, 300)
    table.show_rows([row(1)])
    assert table.isColumnHidden(8)
    table.show_rows([row(1, note="the first that was right")])
    assert not table.isColumnHidden(8) and table.columnWidth(8) > 100


def test_only_the_cells_of_rows_that_changed_are_made_anew(stage: Stage, theme: Theme) -> None:
    """While a run learns its row changes every two seconds, and hundreds of others may be listed with it."""
    table = RunTable(theme)
    stage(table, 1128, 300)
    table.show_rows([row(1), replace(row(2), problem="it has no run.json"), row(3)])
    cells = [[item_at(table, number, column) for column in range(table.columnCount())] for number in range(3)]
    table.show_rows([replace(row(1), step=1050), replace(row(2), problem="it has no run.json"), row(3), row(4)])
    assert column_texts(table, 4) == ["1,050", "", "1,000", "1,000"]
    for number in (1, 2):
        assert all(item_at(table, number, column) is cell for column, cell in enumerate(cells[number]))
    assert [table.columnSpan(number, 3) for number in range(4)] == [1, 6, 1, 1]


def test_several_runs_are_chosen_at_once(stage: Stage, theme: Theme) -> None:
    """Each change of the choice has the view look at all chosen runs, which may be hundreds."""
    table, choices, rows = RunTable(theme), list[list[RunRow]](), [row(number) for number in range(4)]
    stage(table, 1128, 300)
    table.show_rows(rows)
    table.itemSelectionChanged.connect(lambda: choices.append(table.selected_rows))
    table.select_rows({rows[1].path, rows[3].path})
    assert choices == [[rows[0], rows[1], rows[3]]]
    table.show_rows([row(4), *rows])
    assert table.selected_rows == [rows[0], rows[1], rows[3]] and table.selected_row == rows[0]


def test_a_row_is_measured_once_for_each_zoom(stage: Stage, theme: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    """Resizing the window asks for the columns' widths many times, with hundreds of rows listed."""
    table, asked, texts_of = RunTable(theme), list[RunRow](), RunTable.texts_of

    def note(self: RunTable, one: RunRow) -> tuple[str, ...]:
        asked.append(one)
        return texts_of(self, one)

    stage(table, 1128, 300)
    wide = replace(row(1), state="learning by process 4711")
    table.show_rows([wide, row(2), row(3)])
    monkeypatch.setattr(RunTable, "texts_of", note)
    for width in (900, 1128):
        stage(table, width, 300)
    assert not asked
    changed = replace(row(2), step=1050)
    table.show_rows([wide, changed, row(3)])
    assert set(asked) == {changed}
    for rows, widest in (([row(2), wide], wide.state), ([row(2)], row(2).state), ([wide], wide.state)):
        table.show_rows(rows)
        assert_fits(table, widest)
        for zoom in (200, 100):
            theme.set_zoom(zoom)
            assert_fits(table, widest)


def assert_fits(table: RunTable, widest: str) -> None:
    """The states' column needs the width of the widest of them and the space beside it."""
    assert table.needed_width(3) == table.fontMetrics().horizontalAdvance(widest) + 2 * table.theme.px(8) + 2


def test_the_run_that_acts_and_stays_chosen_is_a_highlighted_one(stage: Stage, theme: Theme, qtbot: QtBot) -> None:
    table, ctrl = RunTable(theme), Qt.KeyboardModifier.ControlModifier
    stage(table, 1128, 300)
    table.show_rows([row(1), row(2), row(3)])

    def ctrl_click(number: int) -> None:
        place = table.visualItemRect(item_at(table, number, 0)).center()
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, ctrl, place)

    for number in (1, 2, 2):  # the last takes it out of the choice again, and leaves it current
        ctrl_click(number)
    assert table.selected_row == row(2) and table.selected_rows == [row(1), row(2)]
    table.show_rows([row(1), row(2, note="grown"), row(3)])
    assert table.selected_rows == [row(1), row(2, note="grown")]
    for number in (0, 1):
        ctrl_click(number)
    assert table.selected_row is None
    table.show_rows([row(1), row(2), row(3)])
    assert not table.selected_rows
