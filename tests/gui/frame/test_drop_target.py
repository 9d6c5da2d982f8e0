"""Files dropped on the window: a shared run is replayed but cannot be trained, settings and texts go into Setup."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from core.exporting.sharing import share
from core.run_folder import RunFolder
from core.settings.presets import read_preset
from gui.main_window import VIEWS, MainWindow
from gui.runs.rows import example_path
from tests.gui.conftest import WAIT_MS
from tests.gui.legible import is_uncut
from tests.gui.not_none import not_none
from tests.gui.waiting import wait_for


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    path = tmp_path / "mine.headlight"
    share(RunFolder.open(example_path()), path)
    return path


def drop(window: MainWindow, *paths: Path) -> bool:
    """Drag files over the window and drop them if it accepts them, as a file manager does; return whether it did."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(9, 9), copy, data, left, none)
    enter.ignore()
    QApplication.sendEvent(window, enter)
    if enter.isAccepted():
        QApplication.sendEvent(window, QDropEvent(QPointF(9, 9), copy, data, left, none))
    return enter.isAccepted()


def test_a_shared_run_is_replayed_and_does_not_learn(empty_window: MainWindow, qtbot: QtBot, shared: Path) -> None:
    window, context = empty_window, empty_window.context
    assert drop(window, shared)
    qtbot.waitUntil(lambda: context.playhead.live_step == 800, timeout=WAIT_MS)
    assert context.workbench.run == context.runs_directory.path / "mine" and window.trouble_strip.trouble is None
    qtbot.waitUntil(lambda: context.bridge.state == "finished", timeout=WAIT_MS)
    bar = window.transport
    assert not bar.learn_button.isEnabled() and "no optimizer" in bar.learn_button.toolTip()
    assert bar.branch_button.isVisible() and bar.branch_button.text() == "Continue from 800"
    context.playhead.view(5)
    row = window.train_view.sentence_row
    qtbot.waitUntil(
        lambda: row.source_label.text() == not_none(context.bridge.shown.probes.at(5)).sentences[0].source,
        timeout=WAIT_MS,
    )
    window.show_view(VIEWS.index(type(window.runs_view)))
    qtbot.waitUntil(lambda: any(one.is_shared for one in window.runs_view.table.rows), timeout=WAIT_MS)
    (run,) = (one for one in window.runs_view.table.rows if one.is_shared)
    assert run.state == "shared, finished"
    window.runs_view.table.select(run.path)
    assert window.runs_view.open_button.isEnabled() and not window.runs_view.continue_button.isEnabled()


def test_unreadable_files_are_reported_and_other_drops_are_ignored(
    empty_window: MainWindow, qtbot: QtBot, shared: Path
) -> None:
    shared.write_bytes(b"no zip")
    assert drop(empty_window, shared)
    qtbot.waitUntil(empty_window.trouble_strip.isVisible, timeout=WAIT_MS)
    assert "mine.headlight is not a shared run" in empty_window.trouble_strip.sentence.text()
    assert not drop(empty_window)


def test_a_run_is_shared_to_the_chosen_file_and_reported(
    empty_window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, view = empty_window, empty_window.runs_view
    window.show_view(VIEWS.index(type(view)))
    qtbot.waitUntil(lambda: bool(view.table.rows), timeout=WAIT_MS)
    for name in ("given away", "lr 0.5"):
        chosen_path = str(tmp_path / name)
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, chosen_path=chosen_path: (chosen_path, ""))
        qtbot.mouseClick(view.details.share_button, Qt.MouseButton.LeftButton)
        wait_for(qtbot, lambda name: f"{name}.headlight" in view.details.about_label.text(), name)
        assert "Shared as" in view.details.about_label.text()
        assert Path(f"{chosen_path}.headlight").stat().st_size > 100_000
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (f"{chosen_path}.headlight", ""))
    qtbot.mouseClick(view.file_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.context.workbench.is_shared, timeout=WAIT_MS)
    assert window.pages.currentWidget() is window.train_view


@pytest.fixture
def drafting_window(empty_window: MainWindow) -> MainWindow:
    """The window with a draft whose scheduled preparation is stopped."""
    empty_window.context.workbench.replace_draft(read_preset("toy_german_english"))
    empty_window.context.workbench.stop()
    return empty_window


def test_a_file_of_settings_is_opened_in_setup(drafting_window: MainWindow, small_file: Path) -> None:
    assert drop(drafting_window, small_file)
    assert not_none(drafting_window.context.workbench.draft).dataset.plugin == "copy_task"
    assert drafting_window.rail.setup_button.isChecked() and drafting_window.trouble_strip.trouble is None
    drafting_window.context.workbench.stop()
    small_file.write_text("format: 2", encoding="utf-8")
    assert drop(drafting_window, small_file)
    assert "small.yaml" in drafting_window.trouble_strip.sentence.text()


def texts(folder: Path, *names: str) -> list[Path]:
    """Write files of two lines."""
    for name in names:
        (folder / name).write_text("a b\nb a\n", encoding="utf-8")
    return [folder / name for name in names]


def test_two_files_become_the_dataset(qtbot: QtBot, drafting_window: MainWindow, tmp_path: Path) -> None:
    window, workbench = drafting_window, drafting_window.context.workbench
    before = not_none(workbench.draft)
    assert drop(window, *texts(tmp_path, "train.en", "train.de"))
    qtbot.waitUntil(lambda: workbench.draft is not before, timeout=WAIT_MS)
    draft = not_none(workbench.draft)
    assert draft.dataset.plugin == draft.name == "parallel_text"
    assert draft.dataset.options["folder"] == str(tmp_path)
    assert (draft.dataset.options["train_source"], draft.dataset.options["train_target"]) == ("train.en", "train.de")
    assert (draft.model, draft.training) == (before.model, before.training)
    assert window.setup_drawer.isVisible()
    assert window.setup_drawer.summary_label.text().startswith("train.en is the source and train.de the target.")

    workbench.edit("dataset.options", {**draft.dataset.options, "lowercase": True})
    assert drop(window, *texts(tmp_path, "train.de", "train.en"))
    wait_for(qtbot, lambda: not_none(workbench.draft).dataset.options["train_source"] == "train.de")
    assert not_none(workbench.draft).dataset.options["lowercase"]
    workbench.stop()


def test_after_the_example_dropped_files_are_prepared_with_the_presets_settings(
    empty_window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """The example's own settings keep few probes; and the tokens of the files must be known before training."""
    window, workbench = empty_window, empty_window.context.workbench
    workbench.open_run(example_path())
    qtbot.waitUntil(lambda: workbench.is_example, timeout=WAIT_MS)
    for name in ("train.en", "train.de"):
        (tmp_path / name).write_text("".join(f"a{line}\n" for line in range(300)), encoding="utf-8")
    assert drop(window, tmp_path / "train.en", tmp_path / "train.de")
    qtbot.waitUntil(lambda: workbench.run is None and window.context.bridge.state == "ready", timeout=WAIT_MS)
    assert not_none(workbench.resolved).src_tokens[-1].startswith("a")
    assert not_none(workbench.draft).training == read_preset("toy_german_english").training
    headings = [section.heading.text() for section in window.setup_drawer.sections.values()]
    assert headings == ["Dataset · 4 changed", "Model", "Training", "Decoding"]  # the plugin, its folder and two files


def test_files_that_are_no_corpus_are_refused_with_the_reason(
    drafting_window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    assert drop(drafting_window, *texts(tmp_path, "train.en"))
    qtbot.waitUntil(drafting_window.trouble_strip.isVisible, timeout=WAIT_MS)
    assert drafting_window.trouble_strip.sentence.text() == "train.en has no partner: its translations are missing."


@pytest.mark.parametrize(
    ("source", "lines", "words"),
    [
        ("train.de", 61, "{}/train.de has 61 lines and {}/train.en 60: 1 more."),
        ("train.d\udcff", 60, "train.d\\udcff is not UTF-8, and no settings can hold it. Rename the file or folder,"),
    ],
)
def test_what_is_wrong_with_a_file_is_shown_beside_its_field(
    drafting_window: MainWindow, qtbot: QtBot, tmp_path: Path, source: str, lines: int, words: str
) -> None:
    """In a folder, since Qt replaces what is not UTF-8 in the name of a dropped file."""
    (corpus := tmp_path / "corpus").mkdir()
    (corpus / "train.en").write_text("a b\n" * 60, encoding="utf-8")
    (corpus / source).write_text("a b\n" * lines, encoding="utf-8")
    window, drawer = drafting_window, drafting_window.setup_drawer
    assert drop(window, corpus)
    qtbot.waitUntil(lambda: "train_source" in drawer.plugin_options.form.rows, timeout=WAIT_MS)
    row, sentence = drawer.plugin_options.form.rows["train_source"], words.replace("{}", str(corpus))
    qtbot.waitUntil(lambda: row.error.startswith(sentence), timeout=WAIT_MS)
    assert sentence in window.trouble_strip.sentence.text()
    qtbot.waitUntil(lambda: not drawer.schedule.is_empty, timeout=WAIT_MS)  # its plot moves the fields down
    qtbot.waitUntil(lambda: is_uncut(row.error_label), timeout=WAIT_MS)


def test_why_files_are_refused_is_shown_at_once_until_others_are_prepared(
    drafting_window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    strip = drafting_window.trouble_strip
    for name, reason in (("empty.tsv", "is empty"), ("picture.png", "no partner"), ("photo.png", "photo.png has no")):
        (tmp_path / name).write_bytes(b"")
        assert drop(drafting_window, tmp_path / name)
        wait_for(qtbot, lambda reason: reason in strip.sentence.text() and strip.isVisible(), reason)
    assert "more" not in strip.sentence.text()
    for path in (tmp_path / "train.de", tmp_path / "train.en"):
        path.write_text("".join(f"a{number} b\n" for number in range(100)), encoding="utf-8")
    assert drop(drafting_window, tmp_path / "train.de", tmp_path / "train.en")
    qtbot.waitUntil(lambda: drafting_window.context.bridge.state == "ready", timeout=WAIT_MS)
    assert strip.trouble is None
