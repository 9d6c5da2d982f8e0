"""The Data view on a small corpus in files, operated by mouse and keyboard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from core.overview.pairs import Found
from gui.datasets.pair_pages import PAGE
from gui.main_window import VIEWS, MainWindow
from gui.panels.datasets.data_figures import figure_lines
from gui.panels.datasets.token_delegate import TOKENS
from gui.pictures.export_button import ExportButton
from gui.sentences.tokens import quoted
from gui.theme import GRID
from gui.views.data import HINT, OUTDATED, DataView
from tests.gui.conftest import SMALL, WAIT_MS
from tests.gui.legible import cut_texts
from tests.gui.not_none import child_of, not_none
from tests.gui.tables import column_texts, item_at, row_texts
from tests.gui.waiting import wait_for
from tests.gui.windows import window_of

NUM_TRAIN = 2 * PAGE + 20
LONG = "word " * 30


@pytest.fixture
def view(empty_window: MainWindow, qtbot: QtBot, tmp_path: Path) -> DataView:
    """The view, opened before the data are prepared, with everything about them known."""
    lines = [f"number{number} dog" for number in range(NUM_TRAIN - 2)]
    lines += [lines[0], LONG]
    for side in ("source", "target"):
        (tmp_path / f"train.{side}").write_text("\n".join(lines), encoding="utf-8")
        (tmp_path / f"valid.{side}").write_text("number0 dog\nnumber1 emu", encoding="utf-8")
    options = ", ".join(
        f"{split}_{side}: {split}.{side}" for split in ("train", "valid") for side in ("source", "target")
    )
    dataset = f"dataset: {{plugin: parallel_text, max_src_length: 8, options: {{folder: {tmp_path}, {options}}}}}"
    settings = tmp_path / "words.yaml"
    settings.write_text(f"{dataset}\n{SMALL[SMALL.index('model:') :]}", encoding="utf-8")
    shown = empty_window.data_view
    empty_window.show_view(VIEWS.index(type(shown)))
    assert shown.empty_label.isVisible() and "Preparing" in shown.empty_label.text()
    empty_window.setup_drawer.open_file(settings)
    wait_until_known(shown, qtbot)
    return shown


def wait_until_known(view: DataView, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: view.reader.overview is not None and not view.reader.overview.stage, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not (view.figures.is_dirty or view.histograms.is_dirty), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bool(view.table.rows), timeout=WAIT_MS)


def figure(view: DataView, name: str) -> list[str]:
    """A row of the figures: the values of all splits."""
    table = view.figures.table
    return row_texts(table, column_texts(table, 0).index(name))[1:]


def tokens(view: DataView, row: int, column: int) -> list[tuple[str, str]]:
    return [tuple(token) for token in item_at(view.table, row, column).data(TOKENS)]


def test_pairs_and_figures_are_shown_before_training(view: DataView) -> None:
    assert view.note_label.text() == HINT
    table = view.figures.table
    assert all(item_at(table, row, column).toolTip() for row in range(table.rowCount()) for column in range(4))
    assert figure(view, "pairs") == [str(NUM_TRAIN - 1), "2", "2"]
    assert figure(view, "left out, too long") == ["1", "0", "0"]
    assert figure(view, "source tokens known") == ["100.0 %", "75.0 %", "75.0 %"]
    assert figure(view, "repeated pairs") == ["1 (0.8 %)", "", ""]
    assert figure(view, "sources in train too") == ["", "! 1 of 2", "! 1 of 2"]
    assert figure(view, "sources in valid too") == ["", "", "! 2 of 2"], "the test split has the valid pairs"
    assert view.histograms.src.label.text() == "source 3 to 31, median 3, limit 8"
    assert view.page_label.text() == f"1 to {PAGE} of {NUM_TRAIN}"
    assert tokens(view, 1, 1) == [("number1", "known"), ("dog", "known"), ("<eos>", "special")]

    view.split_combo.setCurrentText("valid")
    assert view.histograms.is_dirty

    overview = not_none(view.reader.overview)
    known, waiting = (list(figure_lines(one)) for one in (overview, replace(overview, leaks=None)))
    assert [line[:2] for line in waiting] == [line[:2] for line in known], (
        "rows must not move when figures become known"
    )
    assert [sorted(texts) for *_, texts in waiting] == [sorted(texts) for *_, texts in known]
    assert waiting[5] == (*known[5][:2], {"valid": "…", "test": "…"})
    view.reader.overview = replace(overview, stage="train pairs")
    view.reader.changed.emit()
    assert view.note_label.text() == "Looking at train pairs …"


def test_names_of_figures_wrap_beside_setup(view: DataView, empty_window: MainWindow, qtbot: QtBot) -> None:
    table = view.figures.table
    heights = [table.rowHeight(row) for row in range(table.rowCount())]
    empty_window.rail.setup_button.click()
    empty_window.resize(1280, 720)

    def is_whole() -> bool:
        return all(table.rowHeight(row) >= table.sizeHintForRow(row) for row in range(table.rowCount()))

    assert max(heights) == table.rowHeight(0)

    def highest() -> int:
        return max(table.rowHeight(row) for row in range(table.rowCount()))

    two_lines = heights[0] + table.fontMetrics().lineSpacing() + 1
    qtbot.waitUntil(lambda: heights[0] < highest() <= two_lines and is_whole(), timeout=WAIT_MS)
    empty_window.rail.setup_button.click()
    qtbot.waitUntil(lambda: [table.rowHeight(row) for row in range(table.rowCount())] == heights, timeout=WAIT_MS)


def test_beside_setup_the_name_of_a_figure_has_at_most_two_lines(empty_window: MainWindow, qtbot: QtBot) -> None:
    view, table = empty_window.data_view, empty_window.data_view.figures.table
    empty_window.setup_drawer.choose_preset("toy_german_english")  # its figures have thousands
    empty_window.rail.setup_button.click()
    empty_window.show_view(VIEWS.index(type(view)))

    wait_until_known(view, qtbot)
    one_line, line = table.rowHeight(0), table.fontMetrics().lineSpacing()

    def is_whole_in_two_lines() -> bool:
        space = QRect(0, 0, table.columnWidth(0) - 2 * GRID, 1_000)
        for row, name in enumerate(column_texts(table, 0)):
            lines = table.fontMetrics().boundingRect(space, Qt.TextFlag.TextWordWrap, name).height() // line
            if lines > 2 or table.rowHeight(row) < one_line + (lines - 1) * (line - 1):
                return False
        return True

    qtbot.waitUntil(is_whole_in_two_lines, timeout=WAIT_MS)


def test_a_long_text_that_no_pair_contains_is_not_cut_off_at_the_edge(view: DataView, qtbot: QtBot) -> None:
    view.search_edit.setText("x" * 400)
    qtbot.keyClick(view.search_edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "No pair of the train split contains" in view.note_label.text(), timeout=WAIT_MS)
    assert view.note_label.text().endswith("xx…”.") and view.minimumSizeHint().width() < view.width()


def test_pairs_can_be_paged_searched_and_found_by_example(view: DataView, qtbot: QtBot) -> None:
    view.next_button.setFocus()
    for last in (2 * PAGE, NUM_TRAIN):
        qtbot.keyClick(view, Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
        wait_for(qtbot, lambda last: view.page_label.text().split()[2] == str(last), last)
    assert not view.next_button.isEnabled() and view.window().focusWidget() is view.table
    assert column_texts(view.table, 0)[-1] == f"{NUM_TRAIN} too long"

    become_full_during_a_search(view, qtbot)
    qtbot.keyClicks(view.search_edit, "NUMBER11")
    qtbot.waitUntil(lambda: view.page_label.text() == "1 to 9 of 9 found", timeout=WAIT_MS)  # 11, 110 to 117
    qtbot.keyClick(view.search_edit, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: view.page_label.text() == f"1 to {PAGE} of {NUM_TRAIN}", timeout=WAIT_MS)
    qtbot.keyClicks(view.search_edit, "no <b>")
    said = f"No pair of the train split contains {quoted('no <b>')}."
    qtbot.waitUntil(lambda: view.note_label.text() == said, timeout=WAIT_MS)
    qtbot.keyClick(view.search_edit, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: view.note_label.text() == HINT, timeout=WAIT_MS)

    emu = next(row for row in view.examples.rows if row.text == "emu")
    assert (emu.split, emu.what, emu.times) == ("valid", "unknown source", 1)
    view.examples.select(view.examples.key_of(emu))
    view.examples.setFocus()
    qtbot.keyClick(view.examples, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.page_label.text() == "1 to 1 of 1 found", timeout=WAIT_MS)
    assert (view.split_combo.currentText(), view.search_edit.text()) == ("valid", "emu")
    assert tokens(view, 0, 2) == [
        ("<bos>", "special"),
        ("number1", "known"),
        ("emu", "unknown"),
        ("<eos>", "special"),
    ]
    assert "unknown, and read as <unk>: emu" in item_at(view.table, 0, 2).toolTip()


def become_full_during_a_search(view: DataView, qtbot: QtBot) -> None:
    """Turn to the second page of what is found; only then the rest of it is found."""
    pages = view.pages
    pages.watch(False)  # the search finds what it is told to
    pages.search("dog")
    pages._handle_found(Found(indices=tuple(range(PAGE + 5)), num_searched=PAGE + 5, is_done=False))
    qtbot.waitUntil(lambda: len(pages.rows) == PAGE, timeout=WAIT_MS)
    pages.turn_pages(1)
    pages._handle_found(Found(indices=tuple(range(PAGE + 30)), num_searched=NUM_TRAIN, is_done=True))
    qtbot.waitUntil(
        lambda: view.page_label.text() == f"{PAGE + 1} to {PAGE + 30} of {PAGE + 30} found", timeout=WAIT_MS
    )
    pages.search("")
    pages.watch(True)


def test_numbers_are_exported_and_other_data_replace_them(view: DataView, qtbot: QtBot, tmp_path: Path) -> None:
    child_of(view.histograms, ExportButton).copy_numbers()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[:3] == ["split,side,tokens,texts", f"train,source,3,{NUM_TRAIN - 1}", "train,source,31,1"]

    data, workbench = view.reader.data, view.context.workbench
    workbench.edit("model.d_ff", 8)
    history = view.context.bridge.history
    qtbot.waitUntil(
        lambda: not_none(history.prepared).config.model.d_ff == 8 and not workbench.waiting_changes, timeout=WAIT_MS
    )
    assert view.reader.data is data  # another model, but the same data

    workbench.edit("dataset.max_src_length", 40)
    qtbot.waitUntil(lambda: view.reader.data is not data, timeout=WAIT_MS)
    wait_until_known(view, qtbot)
    assert figure(view, "left out, too long") == ["0", "0", "0"]

    (tmp_path / "train.target").unlink()
    workbench.edit("dataset.options", {**not_none(view.reader.config).dataset.options, "lowercase": True})
    qtbot.waitUntil(view.empty_label.isVisible, timeout=WAIT_MS)
    assert view.empty_label.text().startswith("No data are prepared")
    view.context.theme.set_zoom(200)
    window_of(view).rail.setup_button.setChecked(True)
    needed = view.empty_label.fontMetrics().horizontalAdvance(view.empty_label.text())
    stack = not_none(view.empty_label.parentWidget())
    qtbot.waitUntil(lambda: view.empty_label.width() < needed and not cut_texts(stack), timeout=WAIT_MS)
    assert view.page_label.text() == "none"


def test_no_row_cuts_off_its_tokens_beside_setup(view: DataView, empty_window: MainWindow, qtbot: QtBot) -> None:
    """Setup takes a third of the width, so a text of one line needs two."""
    table, width = view.table, view.table.columnWidth(1)

    def cut_off() -> list[int]:
        return [row for row in range(table.rowCount()) if table.rowHeight(row) < table.sizeHintForRow(row)]

    empty_window.resize(960, 600)
    empty_window.rail.setup_button.setChecked(True)
    qtbot.waitUntil(lambda: table.columnWidth(1) < width, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not cut_off(), timeout=WAIT_MS)


def test_a_very_long_pair_gives_a_note(empty_window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("go on\tx\n" * 20 + f"{'go ' * 1500}\tx\n", encoding="utf-8")
    (tmp_path / "valid.tsv").write_text("go on\tx\n", encoding="utf-8")
    options = f"{{folder: {tmp_path}, train_source: train.tsv, valid_source: valid.tsv}}"
    model = SMALL[SMALL.index("model:") :]
    settings = tmp_path / "long.yaml"
    settings.write_text(f"dataset: {{plugin: parallel_text, options: {options}}}\n{model}", encoding="utf-8")
    empty_window.setup_drawer.open_file(settings)
    qtbot.waitUntil(empty_window.trouble_strip.isVisible, timeout=WAIT_MS)
    assert empty_window.trouble_strip.sentence.text().startswith("Pair 21 of the train split has 1,501 source tokens")
    qtbot.waitUntil(lambda: empty_window.context.bridge.state == "ready", timeout=WAIT_MS)
    assert empty_window.trouble_strip.isVisible() and empty_window.trouble_strip.property("role") == "note"


def test_pairs_left_out_by_the_plugin_are_counted_separately(view: DataView, qtbot: QtBot) -> None:
    data = view.reader.data
    view.context.workbench.edit("dataset.options", {**not_none(view.reader.config).dataset.options, "max_length": 10})
    qtbot.waitUntil(lambda: view.reader.data is not data, timeout=WAIT_MS)
    wait_until_known(view, qtbot)
    assert figure(view, "left out, too long") == ["0", "0", "0"]
    assert figure(view, "left out by the plugin") == ["1", "0", "0"]


def test_previous_data_are_marked_until_the_next_are_ready(
    view: DataView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    notes: list[str] = []
    empty_window.context.bridge.state_changed.connect(lambda _: notes.append(view.note_label.text()))
    before = view.reader.data
    empty_window.context.workbench.edit("dataset.max_src_length", 9)
    qtbot.waitUntil(lambda: view.reader.data is not before, timeout=WAIT_MS)
    assert OUTDATED in notes
    wait_until_known(view, qtbot)
    assert view.note_label.text() == HINT
    notes.clear()
    empty_window.context.workbench.edit("model.d_ff", 32)  # does not change the data
    qtbot.waitUntil(lambda: OUTDATED in notes and view.note_label.text() == HINT, timeout=WAIT_MS)


def are_figures_whole(view: DataView) -> bool:
    """Whether the table of figures is drawn, and it and its panel have the room that all its rows need."""
    table, panel = view.figures.table, view.figures
    needed = table.verticalHeader().length() + table.horizontalHeader().height() + 2 * table.frameWidth()
    has_room = panel.rect().contains(table.mapTo(panel, table.rect().bottomRight())) and table.height() >= needed
    return has_room and not panel.is_dirty and table.verticalScrollBar().maximum() == 0


def test_zoomed_figures_scroll_with_the_view_and_not_inside_it(
    view: DataView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    for zoom in (100, 150, 200):
        empty_window.context.theme.set_zoom(zoom)
        wait_for(qtbot, are_figures_whole, view)


def test_the_arrow_keys_reach_the_last_figure_when_zoomed(
    view: DataView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    table, viewport = view.figures.table, view._figures_area.viewport()
    empty_window.context.theme.set_zoom(200)
    wait_for(qtbot, are_figures_whole, view)

    def is_last_visible() -> bool:
        last = table.visualItemRect(item_at(table, table.rowCount() - 1, 0))
        return viewport.rect().contains(table.viewport().mapTo(viewport, last.center()))

    assert not is_last_visible()
    table.setCurrentCell(0, 0)
    for _ in range(table.rowCount()):
        qtbot.keyClick(table, Qt.Key.Key_Down)
    qtbot.waitUntil(is_last_visible, timeout=WAIT_MS)
