"""A head of each selected run, and what each run writes, at one step and for the same sentence."""

from __future__ import annotations

import itertools
import shutil
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from core.run_files.validation_file import validation_bytes
from core.run_folder import RunFolder
from gui.main_window import MainWindow
from gui.panel import Panel
from gui.panels.runs.run_comparison import RunComparison
from gui.panels.runs.run_translations import RunTranslations
from gui.runs.rows import example_path
from gui.views.runs import RunsView
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.tables import item_at
from tests.gui.views.runs.steps import Wait, choose_both, compared, learn_to_the_end, row_of, show
from tests.gui.waiting import wait_for


def test_a_head_of_each_run_is_shown_for_the_same_sentence(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    panel, selection = three_runs.comparison_pages.attention, empty_window.context.selection
    three_runs.comparison_pages.show_page(1)
    qtbot.waitUntil(lambda: not panel.is_empty and not panel.is_dirty, timeout=WAIT_MS)
    probe = RunFolder.open(example_path()).probe(800)
    assert [panel.sentence_combo.itemText(index) for index in range(panel.sentence_combo.count())] == [
        sentence.source for sentence in probe.sentences
    ]
    panel.sentence_combo.setCurrentIndex(1)
    panel.sentence_combo.activated.emit(1)
    selection.choose(kind="cross", layer=0, head=2)
    qtbot.waitUntil(lambda: not panel.is_dirty, timeout=WAIT_MS)
    feed = not_none(probe.sentences[1].by_reference)
    assert [column.canvas.isVisible() for column in panel.columns] == [True, True, False, False]
    for column in panel.columns[:2]:
        np.testing.assert_array_equal(not_none(column.canvas.picture).weights, feed.cross[0, 2])
        assert column.output_label.text() and "step 800" in column.title_label.text()
    assert len(panel.numbers()) == 1 + 2 * feed.cross[0, 2].size


@pytest.fixture
def two_depths(window: MainWindow, qtbot: QtBot, wait_for_state: Wait) -> RunsView:
    """The attention maps of two runs side by side: one with one decoder layer, one with two."""
    workbench, runs = window.context.workbench, []
    for num_layers in (2, 1):
        workbench.edit("model.num_decoder_layers", num_layers)
        workbench.prepare()
        wait_for_state("ready")
        runs.append(learn_to_the_end(window, qtbot))
    view = show(window, qtbot)
    row_of(view, qtbot, lambda row: row.path == runs[1] and row.state == "finished")
    choose_both(view, *(run.name for run in runs))
    view.comparison_pages.show_page(1)
    wait_until_drawn(view, qtbot)
    return view


def wait_until_drawn(view: RunsView, qtbot: QtBot) -> None:
    panels = view.comparison_pages.attention, view.comparison_pages.head_chooser
    qtbot.waitUntil(lambda: not any(one.is_empty or one.is_dirty for one in panels), timeout=WAIT_MS)


def heads_named(view: RunsView) -> list[str]:
    """The head labels of both columns; the run with one layer first."""
    return sorted(column.head_label.text() for column in view.comparison_pages.attention.columns[:2])


def test_each_map_names_its_head_if_the_runs_differ_in_depth(two_depths: RunsView, qtbot: QtBot) -> None:
    view, panel, selection = two_depths, two_depths.comparison_pages.attention, two_depths.context.selection
    chooser = view.comparison_pages.head_chooser
    assert (chooser.layer_spin.text(), chooser.head_spin.text()) == ("2 of 2", "1 of 2")
    assert heads_named(view) == ["layer 1 of 1, head 1 of 2", "layer 2 of 2, head 1 of 2"]
    assert all(column.head_label.isVisible() for column in panel.columns[:2])
    selection.choose(pooled="mean")  # as chosen in the Attention view
    wait_until_drawn(view, qtbot)
    assert heads_named(view) == ["layer 1 of 1, mean of heads", "layer 2 of 2, mean of heads"]
    assert chooser.head_spin.text() == "mean of 2"
    columns, *lines = panel.numbers()
    assert columns[1:5] == ("step", "kind", "layer", "head")
    assert {line[1:5] for line in lines} == {(6, "cross", layer, "mean of heads") for layer in (1, 2)}
    selection.choose(head=1, layer=0)
    wait_until_drawn(view, qtbot)
    assert heads_named(view) == ["layer 1 of 1, head 2 of 2", "layer 1 of 2, head 2 of 2"]
    assert {line[3:5] for line in panel.numbers()[1:]} == {(1, 2)}
    selection.choose(head=0, layer=1)
    wait_until_drawn(view, qtbot)
    choose_by_the_keys_that_its_tooltips_name(view, qtbot)


def choose_by_the_keys_that_its_tooltips_name(view: RunsView, qtbot: QtBot) -> None:
    selection = view.context.selection

    def press(key: Qt.Key) -> None:
        qtbot.keyClick(view.table, key, Qt.KeyboardModifier.AltModifier)
        wait_until_drawn(view, qtbot)

    press(Qt.Key.Key_Up)
    press(Qt.Key.Key_Right)
    assert heads_named(view) == ["layer 1 of 1, head 2 of 2", "layer 1 of 2, head 2 of 2"]
    press(Qt.Key.Key_K)
    assert selection.chosen.kind == "encoder_self"
    press(Qt.Key.Key_L)
    assert not selection.chosen.as_lines
    assert not view.comparison_pages.head_chooser.lines_box.isVisible()  # only maps are drawn here


def test_the_translations_of_the_runs_are_shown_side_by_side(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    folder = RunFolder.open(empty_window.context.runs_directory.path / "2026-01-03_a")
    (step, *_) = reversed(folder.validation_steps())
    first, *others = folder.validated_sentences(step)
    path = folder.path / "validations" / f"{step:06d}.jsonl"
    path.write_bytes(validation_bytes([*others, replace(first, hypothesis="quite another")]))
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    panel = three_runs.comparison_pages.translations
    three_runs.comparison_pages.show_page(2)
    qtbot.waitUntil(lambda: not panel.is_empty and not panel.is_dirty, timeout=WAIT_MS)
    heads, line, *rest = panel.numbers()
    assert len(rest) == len(others) and panel.table.rowCount() == 1 + len(others)
    assert line[:2] == (first.source, first.reference) and sorted(line[2:]) == sorted(
        ["quite another", first.hypothesis]
    )
    assert heads[0] == "source" and f"they differ in 1 of {1 + len(others)} sentences" in panel.title_label.text()
    assert item_at(panel.table, 1, 2).text() == f"✓ {rest[0][1]}"
    wrong = item_at(panel.table, 0, line.index("quite another"))
    assert wrong.text() == "✗ quite another"
    assert "wrong, quite another" in wrong.data(Qt.ItemDataRole.AccessibleTextRole)
    assert item_at(panel.table, 0, 0).text() == first.source


def test_rows_of_the_comparison_have_padding_at_any_zoom(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    sides = three_runs.comparison_pages
    pages: list[tuple[int, RunComparison | RunTranslations, int]]
    pages = [(0, sides.comparison, 1), (2, sides.translations, 2)]
    for zoom, (page, panel, num_lines) in itertools.product((100, 150, 200), pages):
        empty_window.context.theme.set_zoom(zoom)
        sides.show_page(page)
        wait_for(qtbot, lambda panel: not panel.is_empty and not panel.is_dirty, panel)
        padding = panel.table.rowHeight(0) - num_lines * panel.table.fontMetrics().lineSpacing()
        assert padding >= empty_window.context.theme.px(8), (
            f"the padding above and below the text: {panel.title}, {zoom} %"
        )


def test_attention_and_translations_follow_one_choice_of_step(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    shorter = empty_window.context.runs_directory.path / "2026-01-03_a"
    folder, sides = RunFolder.open(shorter), three_runs.comparison_pages
    probed, validated = folder.probe_steps(), folder.validation_steps()
    for kind, ending in (("probes", ".safetensors"), ("validations", ".jsonl")):
        (shorter / kind / f"000800{ending}").unlink()
    assert probed[-1] == validated[-1] == 800
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    combo, attention, translations = sides.step_combo, sides.attention, sides.translations
    assert not combo.isVisible()  # the curves have all steps

    def drawn(number: int, panel: Panel, at: object) -> None:
        sides.show_page(number)
        qtbot.waitUntil(lambda: compared(sides.comparison).chosen_step == at and not panel.is_dirty, timeout=WAIT_MS)

    drawn(2, translations, "newest")
    assert combo.isVisible() and combo.currentText() == "each run's newest"
    assert {head.split(" · ")[-1] for head in translations.numbers()[0][2:]} == {f"step {validated[-2]:,}", "step 800"}
    choose(combo, "newest in common")
    drawn(1, attention, "common")
    assert [one.title_label.text().split(" · ")[-1] for one in attention.columns[:2]] == [f"step {probed[-2]:,}"] * 2
    assert f"at step {probed[-2]:,}" in attention.title_label.text()
    drawn(2, translations, "common")
    assert [head.split(" · ")[-1] for head in translations.numbers()[0][2:]] == [f"step {validated[-2]:,}"] * 2
    choose(combo, "800")
    drawn(1, attention, 800)
    texts = {one.title_label.text().split(" · ")[0]: one.output_label.text() for one in attention.columns[:2]}
    texts = {title.split(", ")[1]: output for title, output in texts.items()}
    assert texts["2026-01-03_a"].startswith("This run has no probe at that step") and "writes" in texts["2026-01-02_b"]
    assert {str(line[0]).split(", ")[1] for line in attention.numbers()[1:]} == {"2026-01-02_b"}
    drawn(2, translations, 800)
    heads, *lines = translations.numbers()
    (missing,) = (index for index, head in enumerate(heads) if head.endswith("not validated there"))
    assert {line[missing] for line in lines} == {"–"} and "differ in 0 of" in translations.title_label.text()
    choose_both(three_runs, "2026-01-02_b", "2026-01-01_c")
    drawn(1, attention, "newest")  # of other runs


def choose(combo: QComboBox, text: str) -> None:
    combo.setCurrentText(text)
    combo.activated.emit(combo.currentIndex())


def test_runs_of_different_data_say_why_no_head_can_be_chosen(window: MainWindow, qtbot: QtBot) -> None:
    run = learn_to_the_end(window, qtbot)
    view = show(window, qtbot)
    row_of(view, qtbot, lambda row: row.path == run and row.state == "finished")
    view.comparison_pages.show_page(1)
    choose_both(view, example_path().name, run.name)
    chooser, attention = view.comparison_pages.head_chooser, view.comparison_pages.attention
    qtbot.waitUntil(lambda: "no sentence in common" in attention.empty_label.text(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "as soon as there is a map" in chooser.empty_label.text(), timeout=WAIT_MS)
    view.table.select(run)
    qtbot.waitUntil(lambda: not chooser.is_empty, timeout=WAIT_MS)  # its own head


def test_runs_without_a_common_step_or_any_step_say_so(three_runs: RunsView, qtbot: QtBot) -> None:
    place, sides = three_runs.context.runs_directory.path, three_runs.comparison_pages

    def forget(run: str) -> None:
        for kind in ("probes", "validations"):
            shutil.rmtree(place / run / kind)

    def said(number: int, panel: Panel, words: str) -> None:
        sides.show_page(number)
        qtbot.waitUntil(lambda: words in panel.empty_label.text(), timeout=WAIT_MS)
        assert panel.is_empty

    forget("2026-01-03_a")
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    sides.show_page(1)
    qtbot.waitUntil(lambda: not sides.attention.is_empty, timeout=WAIT_MS)  # the map of the run that has a probe
    choose(sides.step_combo, "newest in common")
    said(1, sides.attention, "in common")
    said(2, sides.translations, "in common")
    forget("2026-01-01_c")
    choose_both(three_runs, "2026-01-03_a", "2026-01-01_c")
    said(1, sides.attention, "None of these runs was probed yet")
    said(2, sides.translations, "None of these runs was validated yet")
    three_runs.table.select(place / "2026-01-03_a")
    said(1, sides.attention, "This run was not probed yet")
    said(2, sides.translations, "This run was not validated yet")


def test_a_damaged_probe_or_validation_is_reported_and_left_out(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    sides, strip, damaged = (
        three_runs.comparison_pages,
        empty_window.trouble_strip,
        three_runs.context.runs_directory.path / "2026-01-01_c",
    )
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    qtbot.waitUntil(lambda: not sides.comparison.is_empty, timeout=WAIT_MS)
    shown = sides.comparison.comparison
    for path in ("probes/000800.safetensors", "validations/000800.jsonl"):
        (damaged / path).write_bytes(b"none")
    sentences: list[str] = []
    empty_window.context.bridge.trouble.connect(lambda trouble: sentences.append(trouble.sentence))
    three_runs.table.select_rows([damaged])
    qtbot.waitUntil(lambda: len(sentences) == 2, timeout=WAIT_MS)
    assert strip.isVisible() and "000800.safetensors" in sentences[0] and "000800.jsonl" in sentences[1]
    comparison = compared(sides.comparison)
    assert comparison is not shown and {run.name.split(", ")[1]: run.probe is None for run in comparison.runs} == {
        "2026-01-03_a": False,
        "2026-01-02_b": False,
        "2026-01-01_c": True,
    }
    sides.show_page(2)
    qtbot.waitUntil(lambda: not sides.translations.is_empty, timeout=WAIT_MS)
    assert sum("not validated there" in head for head in sides.translations.numbers()[0]) == 1
