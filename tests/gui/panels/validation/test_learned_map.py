"""What was learned, behind More: token map, confusion matrix and accuracy of a real run at any step."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from pytestqt.qtbot import QtBot

from core.events import ValidatedSentence
from core.run_files.validation_file import validation_bytes
from core.run_folder import RunFolder
from gui import validation_reader
from gui.main_window import MainWindow
from gui.runs.rows import example_path
from gui.views.train import TrainView
from tests.gui.conftest import WAIT_MS
from tests.gui.legible import cut_texts
from tests.gui.not_none import not_none


@pytest.fixture
def view(empty_window: MainWindow, qtbot: QtBot) -> TrainView:
    """The Train view of the example run, validated at steps 400 and 800, with More open."""
    return opened(empty_window, qtbot, example_path())


def opened(window: MainWindow, qtbot: QtBot, run: Path) -> TrainView:
    window.context.workbench.open_run(run)
    view, history = window.train_view, window.context.bridge
    qtbot.waitUntil(lambda: history.history.last_step == 800, timeout=WAIT_MS)
    qtbot.keyClick(view.more_button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: not view.learned_map.is_empty and not view.accuracy_plots.is_empty, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: len(view.learned_map._reader.learned.steps) == 2, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not view.learned_map.is_dirty, timeout=WAIT_MS)
    return view


def test_all_panels_show_the_validation_at_the_playhead(view: TrainView, qtbot: QtBot) -> None:
    validations = RunFolder.open(example_path())
    assert view.learned_map.title_label.text() == "Learned when · step 800"
    _, *lines = view.learned_map.numbers()
    ranks = {step: [rank for one in validations.validated_sentences(step) for rank in one.rank] for step in (400, 800)}
    expected = [
        (400 if before == 0 else 800) if now == 0 else "" for before, now in zip(ranks[400], ranks[800], strict=True)
    ]
    assert [line[3] for line in lines] == expected
    before: dict[object, object] = {400: 0, 800: 400, "": ""}
    assert [line[5] for line in lines] == [before[line[3] or line[4]] for line in lines]
    view.context.playhead.view(500)
    panels = (view.learned_map, view.confusion_map, view.accuracy_plots)
    qtbot.waitUntil(lambda: all("step 400" in one.title_label.text() for one in panels), timeout=WAIT_MS)
    assert [line[3] for line in view.learned_map.numbers()[1:]] == [400 if rank == 0 else "" for rank in ranks[400]]
    _, *accuracy = view.accuracy_plots.numbers()
    firsts = [one.rank[0] == 0 for one in validations.validated_sentences(400)]
    assert accuracy[0][:4] == ("place", 1, 256, pytest.approx(sum(firsts) / 256))
    view.context.playhead.view(100)
    qtbot.waitUntil(lambda: view.learned_map.is_empty, timeout=WAIT_MS)
    expected_text = "The first validation of this run is at step 400: move the playhead there."
    assert view.learned_map.empty_label.text() == expected_text


def test_a_validation_is_read_before_the_first_panel_is_drawn(
    view: TrainView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view.learned_map._reader._figures.clear()
    were_dirty: list[bool] = []
    monkeypatch.setattr(view.learned_map._reader, "_read", lambda *_: were_dirty.append(view.curves.is_dirty))
    view.context.playhead.view(500)
    assert were_dirty == [True]  # before any panel draws this step


def test_a_cell_of_the_confusion_shows_its_sentences_and_keys_read_tokens(view: TrainView, qtbot: QtBot) -> None:
    view.context.playhead.view(400)
    confusion = view.confusion_map
    qtbot.waitUntil(lambda: "step 400" in confusion.title_label.text(), timeout=WAIT_MS)
    head, *rows = confusion.numbers()
    counts = np.array([line[1:] for line in rows], np.int64)
    row, column = next(
        (row, column) for row, column in np.argwhere(counts).tolist() if rows[row][0] != head[column + 1]
    )
    confusion.canvas.pointed.emit(row, column)
    assert confusion.readout.text().endswith("times.")
    qtbot.keyClick(confusion.canvas, Qt.Key.Key_Return)
    learned = view.learned_map
    chosen = {line[0] for line in learned.numbers()[1:]}
    pair = str(rows[row][0]), str(head[column + 1])
    assert 0 < len(chosen) <= counts[row, column]
    assert all(token in learned.why_label.text() for token in pair if not token.startswith("("))
    assert learned.why_label.toolTip()  # it may be cut
    learned.all_button.click()
    assert len({line[0] for line in learned.numbers()[1:]}) == 256
    cell = confusion.canvas.layout_of(not_none(confusion.canvas.matrix)).cell(row, column).center().toPoint()
    qtbot.mouseClick(confusion.canvas, Qt.MouseButton.LeftButton, pos=cell)
    assert {line[0] for line in learned.numbers()[1:]} == chosen and learned.why_label.isVisible()
    learned.all_button.click()

    assert learned.readout.text().startswith("Strong: right since step 400")
    assert "some validations are not kept" not in learned.readout.text().lower()
    qtbot.keyClick(learned.canvas, Qt.Key.Key_Right)
    assert "token 2 of sentence 1: right since step 400" in learned.readout.text()
    for _ in range(30):
        qtbot.keyClick(learned.canvas, Qt.Key.Key_Down)
    assert learned.canvas.visibleRegion().boundingRect().top() > 0  # it scrolls along
    assert "sentence 31" in learned.canvas.accessibleDescription()


def test_the_colours_of_the_confusion_are_explained_and_its_mark_is_cleared(view: TrainView, qtbot: QtBot) -> None:
    confusion = view.confusion_map
    row, column = (size - 1 for size in not_none(confusion.canvas.matrix).values.shape)
    confusion.canvas.pointed.emit(row, column)
    assert confusion.canvas.mark == (row, column) and confusion.canvas.accessibleDescription().endswith("times.")
    view.context.playhead.view(400)
    qtbot.waitUntil(lambda: "step 400" in confusion.title_label.text(), timeout=WAIT_MS)
    assert confusion.canvas.mark == (None, None)
    assert not confusion.canvas.accessibleDescription() and confusion.readout.text().startswith("Rows: expected.")
    qtbot.keyClick(confusion.canvas, Qt.Key.Key_Return)
    assert not view.learned_map.why_label.isVisible()
    assert "Colour: the square root of a cell's share of its row." in confusion.readout.text()
    assert "are shown" in confusion.readout.text()
    qtbot.waitUntil(lambda: cut_texts(view) == [], timeout=WAIT_MS)
    layout = confusion.canvas.layout_of(not_none(confusion.canvas.matrix))
    assert layout.cell(0, 0).height() >= 0.8 * QFontMetricsF(layout.font).height()


def test_a_new_run_clears_the_chosen_sentences_of_the_confusion(view: TrainView, qtbot: QtBot, tmp_path: Path) -> None:
    learned, context = view.learned_map, view.context

    def is_drawn_of(folder: Path | None) -> bool:
        seen = learned._reader._folder
        return not learned.is_dirty and (seen.path if seen is not None else None) == folder

    def has_all() -> bool:
        return learned.why_label.isHidden() and learned.all_button.isHidden()

    view.confusion_map.canvas.clicked.emit(0, 0)
    assert not has_all()
    other = Path(shutil.copytree(example_path(), tmp_path / "other"))
    context.workbench.open_run(other)
    qtbot.waitUntil(lambda: is_drawn_of(other) and not learned.is_empty, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not view.confusion_map.is_dirty and not view.confusion_map.is_empty, timeout=WAIT_MS)
    assert has_all() and len({line[0] for line in learned.numbers()[1:]}) == 256

    view.confusion_map.canvas.clicked.emit(0, 0)
    assert not has_all()
    context.workbench.reset()
    qtbot.waitUntil(lambda: is_drawn_of(None), timeout=WAIT_MS)
    assert learned.is_empty and has_all()


def test_with_missing_validations_changes_are_given_as_ranges_of_steps(
    empty_window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    run = Path(shutil.copytree(example_path(), tmp_path / "thinned"))
    (run / "validations" / "000400.jsonl").unlink()  # as `RunFolder.write_validation` does when it thins them out
    view = looked_into(empty_window, run, qtbot)
    learned = view.learned_map
    qtbot.waitUntil(lambda: not learned.is_empty and not learned.is_dirty, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "Some validations are not kept" in learned.readout.text(), timeout=WAIT_MS)
    qtbot.keyClick(learned.canvas, Qt.Key.Key_Right)
    assert "token 2 of sentence 1: became right between step 0 and 800." in learned.readout.text()
    head, *lines = learned.numbers()
    assert head[3:] == ("right since step", "forgotten at step", "changed after step")
    assert {tuple(line[3:]) for line in lines} == {(800, "", 0), ("", "", "")}


def rewritten(path: Path, sentences: Sequence[ValidatedSentence]) -> None:
    """Replace a file by these sentences, with correct checksums."""
    path.write_bytes(validation_bytes(sentences))


def with_a_line_too_many(path: Path, sentences: Sequence[ValidatedSentence]) -> None:
    path.write_bytes(path.read_bytes() + b"{}\n")


def with_fewer_sentences(path: Path, sentences: Sequence[ValidatedSentence]) -> None:
    rewritten(path, sentences[:5])


def with_fewer_tokens(path: Path, sentences: Sequence[ValidatedSentence]) -> None:
    first, *others = sentences
    shortened = replace(first, tokens=first.tokens[1:], probability=first.probability[1:], rank=first.rank[1:])
    rewritten(path, [shortened, *others])


def with_a_rank_too_few(path: Path, sentences: Sequence[ValidatedSentence]) -> None:
    first, *others = sentences
    rewritten(path, [replace(first, rank=first.rank[1:]), *others])


def with_a_word_as_rank(path: Path, sentences: Sequence[ValidatedSentence]) -> None:
    first, *others = sentences
    words: Any = ("first", *first.rank[1:])
    rewritten(path, [replace(first, rank=words), *others])


def with_a_sentence_of_no_tokens(path: Path, sentences: Sequence[ValidatedSentence]) -> None:
    first, *others = sentences
    rewritten(path, [replace(first, tokens=(), probability=(), rank=()), *others])


def looked_into(window: MainWindow, run: Path, qtbot: QtBot) -> TrainView:
    """Open an altered copy of the example run in the Train view, with More open."""
    context = window.context
    context.workbench.open_run(run)
    qtbot.waitUntil(lambda: context.workbench.run == run and context.bridge.history.last_step == 800, timeout=WAIT_MS)
    window.train_view.more_button.setChecked(True)
    return window.train_view


DAMAGES = (
    *(with_a_line_too_many, with_fewer_sentences, with_fewer_tokens, with_a_rank_too_few),
    *(with_a_word_as_rank, with_a_sentence_of_no_tokens),
)


def test_a_damaged_validation_is_named_and_the_other_is_drawn(
    empty_window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    for damage in DAMAGES:
        run = Path(shutil.copytree(example_path(), tmp_path / damage.__name__))
        damage(run / "validations" / "000400.jsonl", RunFolder.open(run).validated_sentences(400))
        assert_named_and_the_other_drawn(looked_into(empty_window, run, qtbot), empty_window, qtbot, run)


def assert_named_and_the_other_drawn(view: TrainView, window: MainWindow, qtbot: QtBot, run: Path) -> None:
    learned = view.learned_map
    qtbot.waitUntil(lambda: not learned.is_empty, timeout=WAIT_MS)
    qtbot.waitUntil(window.trouble_strip.isVisible, timeout=WAIT_MS)
    assert str(run / "validations" / "000400.jsonl") in window.trouble_strip.sentence.text()
    window.trouble_strip.dismiss()
    assert learned._reader.learned.steps == [800], run.name
    qtbot.waitUntil(lambda: "Some validations are not kept" in learned.readout.text(), timeout=WAIT_MS)
    qtbot.keyClick(learned.canvas, Qt.Key.Key_Home)
    qtbot.keyClick(learned.canvas, Qt.Key.Key_Right)
    assert "token 2 of sentence 1: became right between step 0 and 800." in learned.readout.text(), run.name
    view.context.playhead.view(500)
    qtbot.waitUntil(lambda: learned.is_empty, timeout=WAIT_MS)
    assert "up to this step are not kept, or cannot be read" in learned.empty_label.text(), run.name


def test_the_larger_of_two_incompatible_validations_is_drawn(
    empty_window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    run = Path(shutil.copytree(example_path(), tmp_path / "damaged"))
    with_fewer_sentences(run / "validations" / "000800.jsonl", RunFolder.open(run).validated_sentences(800))
    view = looked_into(empty_window, run, qtbot)
    panels = (view.learned_map, view.confusion_map, view.accuracy_plots)
    qtbot.waitUntil(lambda: all("step 400" in one.title_label.text() for one in panels), timeout=WAIT_MS)
    assert "000800.jsonl: the file is damaged (its sentences differ" in empty_window.trouble_strip.sentence.text()


def test_an_error_while_validations_are_read_is_reported_and_the_panels_say_so(
    empty_window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(step: int, sentences: object) -> None:
        raise OSError("no such folder any more")

    monkeypatch.setattr(validation_reader, "compute_figures", failing)
    empty_window.context.workbench.open_run(example_path())
    view = empty_window.train_view
    qtbot.waitUntil(lambda: empty_window.context.bridge.history.last_step == 800, timeout=WAIT_MS)
    view.more_button.click()
    qtbot.waitUntil(empty_window.trouble_strip.isVisible, timeout=WAIT_MS)
    assert "no such folder any more" in empty_window.trouble_strip.sentence.text()
    panels = (view.learned_map, view.confusion_map, view.accuracy_plots)
    qtbot.waitUntil(lambda: all("cannot be read" in one.empty_label.text() for one in panels), timeout=WAIT_MS)


def test_the_symbols_of_the_confusion_are_named_at_any_zoom(
    view: TrainView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    canvas, readout = view.confusion_map.canvas, view.confusion_map.readout
    qtbot.waitUntil(lambda: canvas.matrix is not None, timeout=WAIT_MS)

    def names_rows() -> bool:
        return canvas.layout_of(not_none(canvas.matrix)).names_rows

    for zoom in (100, 150, 200):
        empty_window.context.theme.set_zoom(zoom)
        qtbot.waitUntil(names_rows, timeout=WAIT_MS)
        assert readout.text().startswith("Rows: expected. Columns: written."), zoom
        assert "Click a cell" in (readout.text() if zoom == 100 else canvas.toolTip()), zoom
