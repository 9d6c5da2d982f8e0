"""Selected runs are compared: their curves, and the settings in which they differ."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from pytestqt.qtbot import QtBot

from core.events import SettingChanged
from core.resuming import truncate_run
from core.run_folder import RunFolder, RunLabel
from core.settings.overriding import change_setting
from gui.main_window import MainWindow
from gui.runs.rows import example_path, read_row
from gui.smoothing import smoothed
from gui.views.runs import RunsView
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.tables import column_texts, header_item, header_texts, item_at, row_texts
from tests.gui.views.runs.steps import Wait, choose_both, compared, learn_to_the_end, num_shown, row_of, show
from tests.gui.waiting import wait_for


def test_several_selected_runs_are_compared(three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot) -> None:
    folder = empty_window.context.runs_directory.path / "2026-01-03_a"
    RunFolder.open(folder).write_config(change_setting(RunFolder.open(folder).config(), "training.max_grad_norm", 0.5))
    RunFolder.open(folder).append_setting(SettingChanged(step=800, key="training.label_smoothing", value=0.25))
    three_runs.run_list.refresh()
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    panel = three_runs.comparison_pages.comparison
    qtbot.waitUntil(lambda: num_shown(panel) == 2 and not panel.is_dirty, timeout=WAIT_MS)
    heads = header_texts(panel.table)
    cells = {name: row_texts(panel.table, row)[1:] for row, name in enumerate(column_texts(panel.table, 0))}
    assert three_runs.table.hasFocus()  # so that its keys go on selecting
    names = [f"toy_german_english, {folder}" for folder in ("2026-01-02_b", "2026-01-03_a")]  # begun in the same second
    assert heads[0] == "setting or figure" and sorted(head[3:] for head in heads[1:]) == names
    norms = dict(zip((head[3:] for head in heads[1:]), cells["training.max_grad_norm"], strict=True))
    assert norms == dict(zip(names, ("1", "0.5"), strict=True))
    assert sorted(cells["training.label_smoothing"]) == ["0.1", "0.1, 0.25 after step 800"]
    assert "training.seed" not in cells and cells["newest checkpoint"] == ["800", "800"]
    steps, losses = RunFolder.open(folder).metrics()
    np.testing.assert_array_equal(compared(panel).runs[0].training[0], steps)
    np.testing.assert_array_equal(compared(panel).runs[0].training[1], smoothed(losses["train/loss"]))
    assert len(panel.numbers()) == 1 + 2 * (800 + len(compared(panel).runs[0].validation[0]))
    qtbot.keyClicks(three_runs.search_edit, "no such run")
    qtbot.waitUntil(lambda: panel.is_empty, timeout=WAIT_MS)
    assert "are compared" in panel.empty_label.text()


def test_a_long_name_is_complete_in_the_tooltip_and_the_exported_numbers(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    name = "The one with twice the layers, half of the dropout and all the patience in the world"
    RunFolder.open(empty_window.context.runs_directory.path / "2026-01-03_a").write_label(RunLabel(name=name))
    three_runs.run_list.refresh()
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    panel = three_runs.comparison_pages.comparison
    qtbot.waitUntil(lambda: num_shown(panel) == 2 and not panel.is_dirty, timeout=WAIT_MS)
    tips = [header_item(panel.table, column).toolTip() for column in (1, 2)]
    assert name in [tip[3:] for tip in tips]
    assert {run for run, *_ in panel.numbers()[1:]} == {name, "toy_german_english"}


def test_each_compared_run_has_its_letter_in_the_colour_of_its_curve(three_runs: RunsView, qtbot: QtBot) -> None:
    table, panel, theme = three_runs.table, three_runs.comparison_pages.comparison, three_runs.context.theme

    def shown() -> dict[str, tuple[str, str]]:
        """The colour and the accessible text of each row that has a coloured square."""
        cells = {row.path.name: item_at(table, number, 0) for number, row in enumerate(table.rows)}
        for_rows = {name: cell for name, cell in cells.items() if not cell.icon().isNull()}
        return {
            name: (
                cell.icon().pixmap(table.iconSize(), mode=QIcon.Mode.Selected).toImage().pixelColor(1, 1).name(),
                cell.data(Qt.ItemDataRole.AccessibleTextRole),
            )
            for name, cell in for_rows.items()
        }

    def expected() -> dict[str, tuple[str, str]]:
        return {
            row.path.name: (panel.colour(index).name(), f"run {letter} toy_german_english")
            for index, (row, letter) in enumerate(zip(table.selected_rows, "AB", strict=True))
        }

    assert shown() == {}
    choose_both(three_runs, "2026-01-03_a", "2026-01-01_c")
    qtbot.waitUntil(lambda: shown() == expected(), timeout=WAIT_MS)
    assert len({colour for colour, _ in shown().values()}) == 2
    light = shown()
    theme.set_mode("dark" if theme.mode == "light" else "light")
    assert shown() == expected() != light
    shutil.rmtree(next(row.path for row in table.rows if row.path.name == "2026-01-02_b"))
    three_runs.run_list.refresh()  # all items of the table are replaced
    qtbot.waitUntil(lambda: len(table.rows) == 3 and shown() == expected(), timeout=WAIT_MS)
    table.select(table.rows[0].path)
    qtbot.waitUntil(lambda: shown() == {}, timeout=WAIT_MS)


def test_runs_left_out_of_the_comparison_are_counted(three_runs: RunsView, qtbot: QtBot) -> None:
    sides, runs_dir = three_runs.comparison_pages, three_runs.context.runs_directory.path
    (runs_dir / "holiday pictures").mkdir()
    three_runs.run_list.refresh()
    row_of(three_runs, qtbot, lambda row: bool(row.problem))
    assert sides.left_out_label.text() == ""  # only one is selected
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b", "holiday pictures")
    assert sides.left_out_label.isVisible() and sides.left_out_label.text() == "1 of 3 chosen cannot be read"
    for number in range(5):
        shutil.copytree(example_path(), runs_dir / f"2026-02-0{number}_d")
    three_runs.run_list.refresh()
    qtbot.waitUntil(lambda: len(three_runs.table.rows) == 10, timeout=WAIT_MS)
    three_runs.table.selectAll()
    assert sides.left_out_label.text() == "the first 8 of 10 chosen; 1 cannot be read"
    qtbot.waitUntil(lambda: num_shown(sides.comparison) == 8, timeout=WAIT_MS)
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    assert sides.left_out_label.text() == ""


def test_runs_that_differ_only_in_their_seed_form_a_band(
    window: MainWindow, qtbot: QtBot, wait_for_state: Wait
) -> None:
    seeds = [learn_to_the_end(window, qtbot)]
    reset = window.transport.reset_button
    qtbot.mouseClick(reset, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier)
    wait_for_state("ready")
    seeds.append(learn_to_the_end(window, qtbot))
    view, panel = show(window, qtbot), window.runs_view.comparison_pages.comparison
    row_of(view, qtbot, lambda row: row.path == seeds[1] and row.state == "finished")
    choose_both(view, example_path().name, *(run.name for run in seeds))
    qtbot.waitUntil(lambda: not panel.is_empty and not panel.is_dirty, timeout=WAIT_MS)
    (group,) = compared(panel).groups
    assert compared(panel).ungrouped == [2] and group.name == "copy_task, seeds 0, 1"
    losses = np.stack([smoothed(RunFolder.open(run).metrics()[1]["train/loss"]) for run in seeds])
    assert (losses[0] != losses[1]).all()
    np.testing.assert_allclose(group.training.mean, losses.mean(axis=0))
    np.testing.assert_array_equal(group.training.lowest, losses.min(axis=0))
    np.testing.assert_array_equal(group.training.highest, losses.max(axis=0))
    assert len([one for one in panel.plot.plotItem.items if isinstance(one, pg.FillBetweenItem)]) == 2
    assert "lowest to highest" in panel.title_label.text()
    assert (group.name, "valid/loss, mean") in {line[:2] for line in panel.numbers()}
    heads = header_texts(panel.table)
    assert heads[1:3] == ["AB  mean of 2 ± deviation", compared(panel).runs[0].title]
    keys = column_texts(panel.table, 0)
    assert "group" not in keys  # the letters show the group
    assert keys.index("loss") < keys.index("state")
    loss = keys.index("loss")
    best = [not_none(read_row(run).best_loss) for run in seeds]
    assert item_at(panel.table, loss, 1).text() == f"{np.mean(best):.4f} ± {np.std(best, ddof=1):.4f}"


def test_a_band_ends_with_its_shortest_run_and_longer_ones_continue_alone(three_runs: RunsView, qtbot: QtBot) -> None:
    shorter = RunFolder.open(three_runs.context.runs_directory.path / "2026-01-02_b")
    shorter.write_config(change_setting(shorter.config(), "seed", 7))
    truncate_run(shorter, 100)
    three_runs.run_list.refresh()
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    panel = three_runs.comparison_pages.comparison
    qtbot.waitUntil(lambda: bool(compared(panel).groups), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not panel.is_dirty, timeout=WAIT_MS)
    longer = next(run for run in compared(panel).runs if run.training[0][-1] == 800)
    assert compared(panel).groups[0].training.steps[-1] == 100
    drawn = [item.getOriginalDataset() for item in panel.plot.plotItem.listDataItems()]
    rest = next(values for steps, values in drawn if steps is not None and [steps[0], steps[-1]] == [100, 800])
    np.testing.assert_array_equal(rest, longer.training[1][99:])
    assert [400, 800] in [steps.tolist() for steps, _ in drawn if steps is not None]  # its own validation
    names = {item.toPlainText(): item.pos().x() for item in panel.plot.plotItem.items if isinstance(item, pg.TextItem)}
    assert names == {"AB": 100, longer.letter: 800}


def test_an_unreadable_run_clears_the_previous_comparison(three_runs: RunsView, qtbot: QtBot) -> None:
    sides, runs_dir = three_runs.comparison_pages, three_runs.context.runs_directory.path
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    qtbot.waitUntil(lambda: not sides.comparison.is_empty, timeout=WAIT_MS)
    damaged = runs_dir / "2026-01-01_c"
    (damaged / "metrics.jsonl").write_bytes(b"none\n" * 5000)
    sentences: list[str] = []
    three_runs.context.bridge.trouble.connect(lambda trouble: sentences.append(trouble.sentence))
    three_runs.table.select_rows([damaged])
    qtbot.waitUntil(lambda: bool(sentences), timeout=WAIT_MS)
    assert "metrics.jsonl" in sentences[0]
    assert sides.comparison.comparison is None
    qtbot.waitUntil(lambda: sides.comparison.is_empty, timeout=WAIT_MS)
    row, label = three_runs.table.rows[0], sides.comparison.empty_label
    for chosen, words in (
        (None, "What is chosen above cannot be read"),
        ([], "Choose a run above"),
        ([replace(row, problem="a newer version made this")], "What is chosen above cannot be read"),
    ):
        if chosen is not None:
            sides.compare(chosen)
        wait_for(qtbot, lambda words: label.text().startswith(words), words)
