"""Every run is a row that shows its state, and keeps its selection through a refresh."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.home_paths import shorten_home
from core.run_folder import RunFolder
from gui.main_window import MainWindow
from gui.runs.rows import EXAMPLE_NAME, NUM_LOSSES, example_path
from gui.theme import GRID
from gui.views.runs import EMPTY, RunsView
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.tables import header_item, item_at
from tests.gui.views.runs.steps import Wait, choose_both, learn_to_the_end, names, row_of, show, text


def test_without_runs_it_says_how_to_begin_one_and_controls_are_named(empty_window: MainWindow, qtbot: QtBot) -> None:
    view = show(empty_window, qtbot)
    assert view.table.hasFocus()
    assert view.empty_label.isVisible() and view.empty_label.text() == EMPTY
    assert view.path_label.text() == str(empty_window.context.runs_directory.path)
    assert [row.name for row in view.table.rows] == [EXAMPLE_NAME]
    assert text(view, 0)[1] == "0" and text(view, 0)[3:] == ["finished", "800", "", "0.0833", "99.6 %", ""]

    def right_of(part: QWidget) -> int:
        return part.mapTo(view, part.rect().topRight()).x()

    assert right_of(view.refresh_button) == right_of(view.table), "the buttons must be aligned with the table"
    for control in (view.open_button, view.continue_button, view.follow_button, view.refresh_button, view.table):
        assert control.accessibleName() and control.toolTip()
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert all(header_item(view.table, column).toolTip() for column in range(view.table.columnCount()))


def test_many_runs_are_listed_while_others_are_still_being_read(
    empty_window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.runs.rows.NUM_NEW", 1)
    monkeypatch.setattr("gui.runs.run_list.REFRESH_MS", WAIT_MS)
    for name in ("2026-01-01_a", "2026-01-02_b", "2026-01-03_c"):
        shutil.copytree(example_path(), empty_window.context.runs_directory.path / name)
    view, listed = empty_window.runs_view, list[list[str]]()
    view.run_list.changed.connect(lambda: listed.append(names(view)))
    show(empty_window, qtbot)
    qtbot.waitUntil(lambda: len(view.table.rows) == 4, timeout=WAIT_MS // 2)
    assert [*dict.fromkeys(map(len, listed))] == [2, 3, 4]
    assert listed[0][0] == "2026-01-03_c"
    assert view.table.selected_row is not None and view.table.selected_row.path.name == "2026-01-03_c"


def test_the_folder_of_runs_is_named_from_home(home: Path) -> None:
    assert shorten_home(home / "share" / "runs") == "~/share/runs"
    assert shorten_home(Path("/elsewhere/runs")) == "/elsewhere/runs"


def test_the_folder_of_runs_is_named_from_home_behind_a_link(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "me"
    link.symlink_to(home)
    monkeypatch.setenv("HOME", str(link))
    monkeypatch.setenv("USERPROFILE", str(link))
    for path in (link / "runs", home / "runs"):
        assert shorten_home(path) == "~/runs"


def test_a_folder_that_is_no_run_is_a_row_that_says_why(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    run = learn_to_the_end(window, qtbot)
    (tmp_path / "runs" / "holiday pictures").mkdir()
    (run / "run.json").write_text("{", encoding="utf-8")
    view = show(window, qtbot)
    for path, expected in ((run, "run.json"), (tmp_path / "runs" / "holiday pictures", "it has no run.json")):
        number = row_of(view, qtbot, lambda row, path: row.path == path and bool(row.problem), path)
        assert expected in text(view, number)[3]
        view.table.setCurrentCell(number, 0)
        for action in (view.open_button, view.continue_button):
            assert not action.isEnabled() and expected in action.toolTip()


def test_a_row_follows_the_run_of_this_window(window: MainWindow, qtbot: QtBot, wait_for_state: Wait) -> None:
    view = show(window, qtbot)
    qtbot.waitUntil(view.empty_label.isVisible, timeout=WAIT_MS)
    window.context.workbench.set_pace(1)
    window.context.workbench.learn()
    row_of(view, qtbot, lambda row: row.state == "learning here")
    window.context.workbench.set_pace(None)
    row_of(view, qtbot, lambda row: row.state == "finished" and row.step == 40)


def test_a_run_begun_or_continued_by_another_process_appears_and_f5_finds_a_new_folder(
    empty_window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    view = show(empty_window, qtbot)
    qtbot.waitUntil(lambda: not view.run_list._is_reading, timeout=WAIT_MS)
    run = shutil.copytree(example_path(), tmp_path / "runs" / "run")
    number = row_of(view, qtbot, lambda row: row.path == run)
    assert view.table.rows[number].writer is None
    RunFolder.open(run).update(state="learning", pid=os.getppid(), host=socket.gethostname(), pid_started=None)
    row_of(view, qtbot, lambda row: row.writer == f"process {os.getppid()}")

    view.run_list._timer.setInterval(2 * WAIT_MS)  # or it would be found without F5
    qtbot.waitUntil(lambda: not view.run_list._is_reading, timeout=WAIT_MS)
    RunFolder.create(tmp_path / "runs", "half made")
    qtbot.keyClick(view.table, Qt.Key.Key_F5)
    row_of(view, qtbot, lambda row: "it has no config.yaml" in row.problem)


def test_a_sparkline_shows_the_loss_and_a_search_matches_all_words(three_runs: RunsView, qtbot: QtBot) -> None:
    row, cell = three_runs.table.rows[0], item_at(three_runs.table, 0, 5)
    _, metrics = RunFolder.open(example_path()).metrics()
    assert len(row.losses) == NUM_LOSSES and row.losses[0] == metrics["train/loss"][0]
    assert set(row.losses) <= set(metrics["train/loss"])
    assert cell.data(Qt.ItemDataRole.AccessibleTextRole) == f"loss from {row.losses[0]:.3g} to {row.losses[-1]:.3g}"

    everything = names(three_runs)
    qtbot.keyClick(three_runs, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(three_runs.search_edit, "FINISHED 01_c")
    assert names(three_runs) == ["2026-01-01_c"]
    qtbot.keyClicks(three_runs.search_edit, "x")
    assert names(three_runs) == [] and "No run matches" in three_runs.empty_label.text()
    qtbot.keyClick(three_runs.search_edit, Qt.Key.Key_Escape)
    assert names(three_runs) == everything and three_runs.table.hasFocus()


def test_a_click_on_a_row_updates_the_buttons_at_once_and_a_refresh_keeps_the_selection(
    three_runs: RunsView, qtbot: QtBot
) -> None:
    table = three_runs.table
    for wanted, is_kept in ((lambda row: row.is_example, True), (lambda row: not row.is_example, False)):
        place = table.visualItemRect(item_at(table, row_of(three_runs, qtbot, wanted), 0)).center()
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert three_runs.delete_button.isEnabled() is not is_kept

    choose_both(three_runs, "2026-01-03_a", "2026-01-01_c")
    shutil.rmtree(next(row.path for row in three_runs.table.rows if row.path.name == "2026-01-02_b"))
    three_runs.run_list.refresh()
    qtbot.waitUntil(lambda: "2026-01-02_b" not in names(three_runs), timeout=WAIT_MS)
    assert sorted(row.path.name for row in three_runs.table.selected_rows) == ["2026-01-01_c", "2026-01-03_a"]
    assert len(three_runs.comparison_pages._rows) == 2


def test_at_150_per_cent_all_columns_and_three_rows_are_visible(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    table, theme, start_column = three_runs.table, three_runs.context.theme, 2
    theme.set_zoom(150)
    empty_window.resize(1280, 720)
    for number in range(3):
        three_runs.comparison_pages.show_page(number)
        qtbot.waitUntil(lambda: table.viewport().height() >= theme.px(3 * 32), timeout=WAIT_MS)
        assert not table.horizontalScrollBar().maximum()
    needed = table.fontMetrics().horizontalAdvance(text(three_runs, 0)[start_column])
    assert needed + 2 * GRID <= table.columnWidth(start_column)
    assert three_runs.details.name_edit.cursorPosition() == 0
    assert_table_that_scrolls_sideways_shows_all_its_rows(three_runs, qtbot)


def assert_table_that_scrolls_sideways_shows_all_its_rows(three_runs: RunsView, qtbot: QtBot) -> None:
    table = three_runs.table
    three_runs.window().resize(three_runs.window().minimumSize())
    qtbot.waitUntil(lambda: table.horizontalScrollBar().maximum() > 0, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: table.horizontalScrollBar().isVisible(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: table.viewport().height() >= table.verticalHeader().length(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not table.verticalScrollBar().isVisible(), timeout=WAIT_MS)


def test_the_table_is_as_high_as_its_rows_but_at_most_half(three_runs: RunsView, qtbot: QtBot) -> None:
    table, sides, runs_dir = three_runs.table, three_runs.comparison_pages, three_runs.context.runs_directory.path

    def whole() -> int:
        return three_runs.table_splitter.height() - three_runs.table_splitter.handleWidth()

    qtbot.waitUntil(lambda: table.height() == table.needed_height, timeout=WAIT_MS)
    assert not table.verticalScrollBar().isVisible() and sides.height() == whole() - table.height() > 0.6 * whole()
    for number in range(30):
        (runs_dir / f"no run {number}").mkdir()
    three_runs.run_list.refresh()
    qtbot.waitUntil(lambda: len(table.rows) == 34 and table.height() == whole() // 2, timeout=WAIT_MS)
    qtbot.keyClicks(three_runs.search_edit, "no run 29")
    qtbot.waitUntil(lambda: table.height() == table.needed_height < 0.5 * whole(), timeout=WAIT_MS)
    three_runs.table_splitter.moveSplitter(200, 1)
    three_runs.search_edit.clear()
    assert len(table.rows) == 34 and table.height() == 200  # as the user chose


def test_a_long_text_that_no_run_matches_does_not_widen_the_view(three_runs: RunsView, qtbot: QtBot) -> None:
    three_runs.search_edit.setText("x" * 400)
    page = not_none(three_runs.empty_label.parentWidget())
    assert three_runs.empty_label.text() == f"No run matches “{'x' * 39}…”. Esc shows all."
    qtbot.waitUntil(lambda: three_runs.empty_label.isVisible() and page.width() == three_runs.width(), timeout=WAIT_MS)
