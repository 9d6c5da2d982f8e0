"""A selected run is shown before it is opened."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.events import SettingChanged
from core.run_folder import RunFolder
from gui.runs.comparison import Comparison, RunsReader, StepChoice
from gui.runs.rows import RunRow, example_path
from gui.views.runs import RunsView
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.tables import column_texts, header_texts, item_at
from tests.gui.views.runs.steps import compared, num_shown
from tests.gui.waiting import wait_for


def test_a_single_selected_run_shows_losses_settings_head_and_translations(three_runs: RunsView, qtbot: QtBot) -> None:
    folder, sides = three_runs.context.runs_directory.path / "2026-01-03_a", three_runs.comparison_pages
    RunFolder.open(folder).append_setting(SettingChanged(step=800, key="training.label_smoothing", value=0.25))
    three_runs.table.select(folder)
    panel = sides.comparison
    qtbot.waitUntil(lambda: num_shown(panel) == 1 and not panel.is_dirty, timeout=WAIT_MS)
    table = panel.table
    cells = dict(zip(column_texts(table, 0), column_texts(table, 1), strict=True))
    keys = [*cells]
    assert keys.index("loss") < keys.index("model.d_model") and keys[:3] == ["state", "newest checkpoint", "best step"]
    autos = ("dataset.tokenizer", "dataset.max_src_length", "training.num_threads", "decoding.max_length")
    assert not any(key.startswith(autos) for key in keys), "values of auto are not the user's settings"
    assert header_texts(table)[1:] == ["toy_german_english"]
    assert cells["model.d_model"] == "48" and cells["training.label_smoothing"] == "0.1, 0.25 after step 800"
    assert "model.norm_first" not in cells  # the default
    steps, _ = RunFolder.open(folder).metrics()
    np.testing.assert_array_equal(compared(panel).runs[0].training[0], steps)
    assert not any(isinstance(item, pg.TextItem) for item in panel.plot.plotItem.items)  # a single run needs no letter
    assert item_at(three_runs.table, 0, 0).icon().isNull() and three_runs.details.isVisible()
    sides.show_page(1)
    qtbot.waitUntil(lambda: not sides.attention.is_dirty and not sides.attention.is_empty, timeout=WAIT_MS)
    assert [column.canvas.isVisible() for column in sides.attention.columns] == [True, False, False, False]
    assert [sides.step_combo.itemText(index) for index in range(2)] == ["newest", "800"]
    titles = sides.attention.title_label.text(), sides.attention.columns[0].title_label.text()
    assert titles == ("Cross-attention", "toy_german_english · step 800")
    sides.show_page(2)
    qtbot.waitUntil(lambda: not sides.translations.is_dirty and not sides.translations.is_empty, timeout=WAIT_MS)
    right = sum(one.hypothesis == one.reference for one in compared(panel).runs[0].validated)
    assert sides.translations.title_label.text() == f"Translations of the run: {right} of 256 equal the reference"
    assert item_at(sides.translations.table, 0, 2).text().startswith("✗")  # errors come first


def test_runs_selected_during_a_reading_are_skipped_except_the_last(
    three_runs: RunsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, may_continue = held_reading(three_runs, qtbot, monkeypatch)
    others = [row.path for row in three_runs.table.rows if row.path != not_none(three_runs.table.selected_row).path]
    for path in others * 2:
        three_runs.table.select(path)
    qtbot.waitUntil(lambda: bool(read), timeout=WAIT_MS)
    may_continue.set()
    qtbot.waitUntil(lambda: three_runs.comparison_pages._compared == [others[-1]], timeout=WAIT_MS)
    assert read == [others[0].name, others[-1].name]


def held_reading(view: RunsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], threading.Event]:
    """Block readings until the event is set; record the first run of each."""
    read, may_continue = list[str](), threading.Event()
    read_runs = RunsReader.read

    def slowly(self: RunsReader, rows: Sequence[RunRow], at: StepChoice) -> Comparison:
        read.append(rows[0].path.name)
        assert may_continue.wait(WAIT_MS / 1000)
        return read_runs(self, rows, at)

    qtbot.waitUntil(lambda: num_shown(view.comparison_pages.comparison) == 1, timeout=WAIT_MS)
    monkeypatch.setattr(RunsReader, "read", slowly)
    return read, may_continue


def test_errors_of_a_run_no_longer_selected_are_not_reported(
    three_runs: RunsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs_dir, sentences = three_runs.context.runs_directory.path, list[str]()
    run = runs_dir / "2026-01-03_a"
    three_runs.context.bridge.trouble.connect(lambda trouble: sentences.append(trouble.sentence))
    read, may_continue = held_reading(three_runs, qtbot, monkeypatch)
    for damaged, other in (
        ("metrics.jsonl", runs_dir / "2026-01-01_c"),
        ("probes/000800.safetensors", runs_dir / "2026-01-02_b"),
        ("", runs_dir / "2026-01-01_c"),
    ):
        read.clear()
        may_continue.clear()
        three_runs.table.select(run)
        qtbot.waitUntil(lambda: bool(read), timeout=WAIT_MS)
        if damaged:
            (run / damaged).write_bytes(b"none\n" * 5000)
        else:
            shutil.rmtree(run)
        three_runs.table.select(other)
        may_continue.set()
        wait_for(qtbot, lambda other: three_runs.comparison_pages._compared == [other], other)
        three_runs.context.bridge.drain()
        assert not sentences, damaged
        if damaged:
            shutil.copy(example_path() / damaged, run / damaged)


def test_damage_is_reported_even_if_another_run_was_added_while_reading(
    three_runs: RunsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, other = (three_runs.context.runs_directory.path / name for name in ("2026-01-03_a", "2026-01-01_c"))
    sentences: list[str] = []
    three_runs.context.bridge.trouble.connect(lambda trouble: sentences.append(trouble.sentence))
    read, may_continue = held_reading(three_runs, qtbot, monkeypatch)
    (run / "probes" / "000800.safetensors").write_bytes(b"none")
    three_runs.table.select(run)
    qtbot.waitUntil(lambda: bool(read), timeout=WAIT_MS)
    three_runs.table.select_rows([other])
    may_continue.set()
    qtbot.waitUntil(lambda: num_shown(three_runs.comparison_pages.comparison) == 2, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bool(sentences), timeout=WAIT_MS)
    combo = three_runs.comparison_pages.step_combo
    combo.activated.emit(combo.findData(800))
    qtbot.waitUntil(lambda: compared(three_runs.comparison_pages.comparison).chosen_step == 800, timeout=WAIT_MS)
    three_runs.context.bridge.drain()
    assert len(sentences) == 1 and "000800.safetensors" in sentences[0]  # the same damage is reported only once


def test_a_step_of_the_previous_run_is_not_looked_for_in_the_next(
    three_runs: RunsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, sides = three_runs.context.runs_directory.path / "2026-01-03_a", three_runs.comparison_pages
    for folder in ("probes", "validations"):
        shutil.rmtree(run / folder)
    read, may_continue = held_reading(three_runs, qtbot, monkeypatch)
    three_runs.table.select(run)
    qtbot.waitUntil(lambda: bool(read), timeout=WAIT_MS)
    place = sides.step_combo.findData(800)
    sides.step_combo.setCurrentIndex(place)
    sides.step_combo.activated.emit(place)
    may_continue.set()
    qtbot.waitUntil(lambda: sides._compared == [run], timeout=WAIT_MS)
    assert sides.step_combo.currentText() == "newest" and compared(sides.comparison).chosen_step == "newest"


def test_f5_reads_repaired_files(three_runs: RunsView, qtbot: QtBot) -> None:
    sides, runs_dir, sentences = three_runs.comparison_pages, three_runs.context.runs_directory.path, list[str]()
    three_runs.context.bridge.trouble.connect(lambda trouble: sentences.append(trouble.sentence))

    def has_probe_of(run: Path) -> bool:
        seen = sides.comparison.comparison
        return seen is not None and sides._compared == [run] and seen.runs[0].probe is not None

    for name, file in (("2026-01-01_c", "metrics.jsonl"), ("2026-01-03_a", "probes/000800.safetensors")):
        damaged = runs_dir / name / file
        content = damaged.read_bytes()
        damaged.write_bytes(b"none\n" * 5000)
        sentences.clear()
        three_runs.table.select(runs_dir / name)
        qtbot.waitUntil(lambda: bool(sentences), timeout=WAIT_MS)
        assert not has_probe_of(runs_dir / name), file
        damaged.write_bytes(content)
        qtbot.keyClick(three_runs.table, Qt.Key.Key_F5)
        wait_for(qtbot, has_probe_of, runs_dir / name)
        assert not compared(sides.comparison).damaged, file
        assert len(sentences) == 1, file
