"""The Setup drawer with the real workbench."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLineEdit, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from core.config import read_config
from gui.bench.live_edits import APPLY_DELAY_MS
from gui.main_window import MainWindow
from gui.option_form import help_text
from gui.panels.setup.section_forms import NOAM_NOTE
from gui.runs.rows import example_path
from tests.full_disk import no_file_beyond
from tests.gui.bench.runs import make_unsaveable, wait_for_answers
from tests.gui.conftest import WAIT_MS
from tests.gui.legible import is_uncut
from tests.gui.not_none import child_of, not_none
from tests.gui.waiting import wait_for


def type_into(qtbot: QtBot, window: MainWindow, key: str, text: str) -> None:
    """Replace a field's text, key by key."""
    editor = window.setup_drawer.forms.form(key.partition(".")[0]).rows[key].editor
    assert isinstance(editor, QLineEdit)
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClicks(editor, text)


def test_an_edit_is_prepared(qtbot: QtBot, window: MainWindow) -> None:
    workbench = window.context.workbench
    workbench.apply_valid_edits({"model.positions": "learned", "decoding.max_length": 90})
    before = window.setup_drawer.size_label.text()
    type_into(qtbot, window, "model.d_ff", "32")
    assert window.setup_drawer.size_label.text() != before  # computed while typing, before a model is built
    qtbot.waitUntil(lambda: workbench.resolved.config.model.d_ff == 32, timeout=WAIT_MS)  # type: ignore[union-attr]
    assert window.setup_drawer.size_label.text() == f"{workbench.resolved.num_parameters:,} parameters"  # type: ignore[union-attr]
    assert window.setup_drawer.sections["model"].heading.text() == "Model · 2 changed"


def test_a_field_stays_in_view_with_its_help_and_error_while_it_is_typed_into(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    drawer = window.setup_drawer
    window.transport.step_buttons[0].click()
    wait_for_state("paused")  # a run with steps, so that a change brings up the button to restart
    window.rail.setup_button.click()
    drawer.sections["model"].heading.click()
    before, row = (drawer.forms.form("model").rows[f"model.{name}"] for name in ("num_decoder_layers", "d_ff"))
    scroll_area = child_of(drawer, QScrollArea)
    qtbot.waitUntil(lambda: scroll_area.verticalScrollBar().maximum() > 500, timeout=WAIT_MS)

    def end_the_area_below(part: QWidget) -> None:
        """Scroll so that this part is the last thing to be seen in the drawer."""
        bar, bottom = scroll_area.verticalScrollBar(), part.mapTo(scroll_area, part.rect().bottomLeft()).y() + 1
        bar.setValue(bar.value() + bottom - scroll_area.height())
        assert part.mapTo(scroll_area, part.rect().bottomLeft()).y() + 1 == scroll_area.height()

    end_the_area_below(not_none(row.editor))
    assert is_uncut(not_none(row.editor)) and not is_uncut(row.help_label)
    not_none(before.editor).setFocus()
    qtbot.keyClick(before.editor, Qt.Key.Key_Tab)
    assert not_none(row.editor).hasFocus() and is_uncut(row.help_label)
    end_the_area_below(row)
    qtbot.keyClicks(row.editor, "2")
    qtbot.waitUntil(drawer.restart_button.isVisible, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: is_uncut(row), timeout=WAIT_MS)
    end_the_area_below(not_none(row.editor))
    qtbot.keyClicks(row.editor, "x")
    qtbot.waitUntil(lambda: is_uncut(row.error_label), timeout=WAIT_MS)


def test_settings_are_saved_with_the_suffix_that_open_looks_for_and_not_over_a_run(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for typed, file_name in (("lr 0.5", "lr 0.5.yaml"), ("mine.yml", "mine.yml")):
        chosen = (str(tmp_path / typed), "Settings (*.yaml)")
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, chosen=chosen: chosen)
        qtbot.mouseClick(window.setup_drawer.save_button, Qt.MouseButton.LeftButton)
        assert read_config(tmp_path / file_name) == window.context.workbench.draft, typed
    assert_run_is_kept(qtbot, window, tmp_path, monkeypatch)


def assert_run_is_kept(qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Require that settings are not saved over those of a run."""
    run = shutil.copytree(example_path(), tmp_path / "run")
    before = (run / "config.yaml").read_bytes()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(run / "config.yaml"), ""))
    qtbot.mouseClick(window.setup_drawer.save_button, Qt.MouseButton.LeftButton)
    assert window.trouble_strip.sentence.text() == f"{run / 'config.yaml'} lies in the folder of a run, {run}."
    assert (run / "config.yaml").read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes are POSIX only")
def test_settings_that_cannot_be_saved_leave_the_file_as_it_was(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "saved" / "mine.yaml"
    path.parent.mkdir()
    path.write_text("as it was")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    with no_file_beyond(10):
        qtbot.mouseClick(window.setup_drawer.save_button, Qt.MouseButton.LeftButton)
    assert window.trouble_strip.sentence.text() == f"{path} cannot be written: File too large."
    assert path.read_text() == "as it was" and list(path.parent.iterdir()) == [path]


def test_saving_or_learning_without_refused_values_is_noted(
    qtbot: QtBot,
    window: MainWindow,
    wait_for_state: Callable[[str], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window.rail.setup_button.click()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine.yaml"), "Settings (*.yaml)"))
    type_into(qtbot, window, "model.num_decoder_layers", "abc")
    qtbot.mouseClick(window.setup_drawer.save_button, Qt.MouseButton.LeftButton)
    message = "What was typed for model.num_decoder_layers does not fit: the file was saved without it."
    assert window.trouble_strip.sentence.text() == message
    assert read_config(tmp_path / "mine.yaml").model.num_decoder_layers == 1
    window.trouble_strip.dismiss()
    qtbot.mouseClick(window.transport.step_buttons[0], Qt.MouseButton.LeftButton)
    message = "What was typed for model.num_decoder_layers does not fit: the run learns without it."
    assert window.trouble_strip.sentence.text().startswith(message)
    wait_for_state("paused")
    row = window.setup_drawer.forms.form("model").rows["model.num_decoder_layers"]
    assert isinstance(row.editor, QLineEdit)
    assert (row.editor.text(), row.error) == ("abc", "expected a whole number, given 'abc'.")


def test_an_error_is_shown_beside_its_field_until_all_values_are_valid(qtbot: QtBot, window: MainWindow) -> None:
    assert_learning_rate_without_effect_says_so(window)
    type_into(qtbot, window, "model.num_heads", "3")
    row = window.setup_drawer.forms.form("model").rows["model.num_heads"]
    assert "must divide d_model = 16" in row.error_label.text()
    assert window.context.workbench.draft.model.num_heads == 2  # type: ignore[union-attr]
    type_into(qtbot, window, "model.num_heads", "2")
    assert row.error_label.text() == ""
    type_two_jointly_valid_values(qtbot, window)
    type_a_refused_value_and_another(qtbot, window)


def assert_learning_rate_without_effect_says_so(window: MainWindow) -> None:
    row = window.setup_drawer.forms.form("training").rows["training.optimizer.learning_rate"]
    assert row.help_label.text() == help_text(row.field)
    for name, expected in (("noam", NOAM_NOTE), ("cosine", help_text(row.field))):
        window.context.workbench.edit("training.schedule.name", name)
        assert row.help_label.text() == not_none(row.editor).accessibleDescription() == expected


def type_two_jointly_valid_values(qtbot: QtBot, window: MainWindow) -> None:
    """Type two values that are valid only together, one after the other."""
    rows, workbench = window.setup_drawer.forms.form("model").rows, window.context.workbench
    type_into(qtbot, window, "model.num_heads", "5")
    assert rows["model.num_heads"].error_label.text() == "✗ must divide d_model = 16, given 5."
    type_into(qtbot, window, "model.d_model", "3")
    assert rows["model.d_model"].error_label.text() == "✗ Heads: must divide d_model = 3, given 2."
    type_into(qtbot, window, "model.d_model", "30")
    assert workbench.draft is not None
    assert (workbench.draft.model.d_model, workbench.draft.model.num_heads) == (30, 5)
    assert rows["model.d_model"].error_label.text() == rows["model.num_heads"].error_label.text() == ""


def type_a_refused_value_and_another(qtbot: QtBot, window: MainWindow) -> None:
    """A refused value is kept through another edit."""
    row = window.setup_drawer.forms.form("model").rows["model.dropout"]
    assert isinstance(row.editor, QLineEdit)
    type_into(qtbot, window, "model.dropout", "1,5")
    type_into(qtbot, window, "model.d_ff", "32")
    message = "✗ expected a number, given '1,5'. Write decimals with a point: 1.5"
    assert row.editor.text() == "1,5" and row.error_label.text() == message
    window.setup_drawer.choose_preset("copy_task")
    assert row.editor.text() == "0" and row.error_label.text() == ""


def test_a_restart_waits_until_refused_values_are_fixed(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    button, workbench = window.setup_drawer.restart_button, window.context.workbench
    workbench.learn(1)
    wait_for_state("paused")
    window.rail.setup_button.click()
    first = workbench.run
    type_into(qtbot, window, "model.num_decoder_layers", "abc")
    type_into(qtbot, window, "model.d_ff", "24")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button.toolTip() == "First fix what is marked ✗: model.num_decoder_layers"
    assert not button.isEnabled() and workbench.run == first
    type_into(qtbot, window, "model.num_decoder_layers", "2")
    qtbot.waitUntil(button.isEnabled, timeout=WAIT_MS)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: workbench.run not in (None, first), timeout=WAIT_MS)
    assert workbench.applied is not None
    assert (workbench.applied.model.num_decoder_layers, workbench.applied.model.d_ff) == (2, 24)


def test_a_group_that_is_switched_off_takes_refused_values_in_it_with_it(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    workbench, drawer = window.context.workbench, window.setup_drawer
    workbench.learn(1)
    wait_for_state("paused")
    rows = drawer.forms.form("training").rows
    box, patience, batch = (
        rows[f"training.{key}"] for key in ("early_stopping", "early_stopping.patience", "batch_size")
    )
    assert isinstance(box.editor, QCheckBox)
    for others_refused in (False, True):
        box.editor.click()
        patience.edited.emit(patience.field.key, "x")
        if others_refused:
            batch.edited.emit(batch.field.key, "y")
        assert patience.error
        box.editor.click()
        assert not patience.error and drawer._invalid_keys() == [batch.field.key] * others_refused
    batch.edited.emit(batch.field.key, 4)
    wait_for_answers(qtbot, window)
    assert workbench.draft == workbench.applied and not_none(workbench.applied).training.early_stopping is None
    assert not_none(window.context.bridge.history.prepared).config.training.early_stopping is None


def test_a_required_option_is_marked(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None], tmp_path: Path
) -> None:
    window.context.workbench.learn(1)
    wait_for_state("paused")
    window.rail.setup_button.click()
    drawer = window.setup_drawer
    drawer.plugin_combo.setCurrentIndex(drawer.plugin_combo.findData("parallel_text"))
    drawer.plugin_combo.activated.emit(drawer.plugin_combo.currentIndex())
    qtbot.mouseClick(drawer.restart_button, Qt.MouseButton.LeftButton)
    wait_for_state("empty")
    qtbot.waitUntil(lambda: drawer.isVisible() and window.trouble_strip.isVisible(), timeout=WAIT_MS)
    row = drawer.plugin_options.form.rows["train_source"]
    assert row.error_label.text() == "✗ name a file of source texts, and one of target texts."
    qtbot.waitUntil(lambda: not row.error_label.visibleRegion().isEmpty(), timeout=WAIT_MS)
    sentence = "dataset.options.train_source: name a file of source texts, and one of target texts."
    assert window.trouble_strip.sentence.text() == sentence
    assert drawer.size_label.text() == ""
    pairs = tmp_path / "pairs.tsv"
    assert isinstance(row.editor, QLineEdit)
    row.editor.setFocus()
    qtbot.keyClicks(row.editor, str(pairs))
    qtbot.waitUntil(lambda: row.error_label.text().startswith(f"✗ there is no {pairs}."), timeout=WAIT_MS)
    pairs.write_text("".join(f"a{number}\tb{number}\n" for number in range(400)), encoding="utf-8")
    window.context.workbench.reset()
    wait_for_state("ready")
    assert row.error_label.text() == "" and not window.trouble_strip.isVisible()


def test_another_dataset_drops_refused_values_of_the_previous_one_and_gives_its_name(
    qtbot: QtBot, window: MainWindow
) -> None:
    drawer, workbench = window.setup_drawer, window.context.workbench
    drawer.choose_preset("toy_german_english")
    workbench.edit("dataset.tokenizer", {"src": "subword", "tgt": "subword"})
    type_into(qtbot, window, "dataset.tokenizer.min_frequency", "2")
    assert drawer.forms.form("dataset").rows["dataset.tokenizer.min_frequency"].error
    drawer._choose_plugin(drawer.plugin_combo.findData("reverse"))
    assert drawer.restart_button.isEnabled()
    type_into(qtbot, window, "model.d_ff", "32")
    assert workbench.draft is not None
    assert (workbench.draft.dataset.tokenizer, workbench.draft.model.d_ff) == ("auto", 32)
    assert (workbench.draft.name, workbench.draft.dataset.plugin) == ("reverse", "reverse")
    assert drawer.preset_combo.currentText() == "" and drawer.summary_label.text().startswith("The dataset reverse")


def test_a_fixed_mark_goes_even_if_the_plugins_were_reloaded_meanwhile(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    drawer, workbench = window.setup_drawer, window.context.workbench
    drawer.choose_preset("toy_german_english")
    workbench.edit("model.tie_embeddings", "all")
    row = drawer.forms.form("model").rows["model.tie_embeddings"]
    qtbot.waitUntil(lambda: bool(row.error), timeout=WAIT_MS)
    window.context.plugins.changed.emit()
    workbench.edit("dataset.tokenizer", {"shared": True})
    wait_for_state("ready")
    assert row.error == ""


def test_a_number_applies_once_it_is_completely_typed(qtbot: QtBot, window: MainWindow) -> None:
    bridge = window.context.bridge
    window.transport.pace_slider.setValue(0)  # at one step a second; at full speed, the run would end during the typing
    typing = window.context.workbench._live_edits._delay
    typing.setInterval(100 * WAIT_MS)  # longer than any pause in the typing
    window.transport.learn_button.click()
    qtbot.waitUntil(lambda: bridge.history.last_step >= 2, timeout=WAIT_MS)
    editor = window.setup_drawer.forms.form("training").rows["training.max_steps"].editor
    assert isinstance(editor, QLineEdit)
    editor.selectAll()
    qtbot.keyClicks(editor, "2000", delay=20)  # a max_steps of 2 would end the run
    assert typing.isActive() and not bridge.history.settings_changed
    typing.setInterval(APPLY_DELAY_MS)
    qtbot.waitUntil(lambda: bool(bridge.history.settings_changed), timeout=WAIT_MS)
    assert [change.value for change in bridge.history.settings_changed] == [2000]
    assert bridge.state == "learning"


def test_edits_apply_at_once_with_enter_or_when_the_field_loses_focus(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    history, workbench = window.context.bridge.history, window.context.workbench
    workbench.learn(2)
    wait_for_state("paused")
    window.activateWindow()
    window.rail.setup_button.click()  # a hidden field cannot have the focus
    window.setup_drawer.sections["training"].heading.click()
    typing = workbench._live_edits._delay
    typing.setInterval(100 * WAIT_MS)  # so that no pause applies an edit
    for number, (value, leave) in enumerate(((50, Qt.Key.Key_Return), (60, Qt.Key.Key_Tab)), start=1):
        editor = window.setup_drawer.forms.form("training").rows["training.max_steps"].editor
        assert isinstance(editor, QLineEdit)
        editor.setFocus()
        qtbot.waitUntil(editor.hasFocus, timeout=WAIT_MS)
        editor.selectAll()
        qtbot.keyClicks(editor, str(value))
        assert typing.isActive() and len(history.settings_changed) == number - 1
        qtbot.keyClick(editor, leave)
        wait_for(qtbot, lambda number: len(history.settings_changed) == number, number)
        assert history.settings_changed[-1].value == value and not typing.isActive()
    box = window.setup_drawer.forms.form("training").rows["training.early_stopping"].editor
    assert isinstance(box, QCheckBox)
    box.click()  # not typed, so it applies at once
    qtbot.waitUntil(lambda: history.settings_changed[-1].key == "training.early_stopping", timeout=WAIT_MS)


def test_no_prefix_of_an_invalid_value_is_applied(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.learn(5)
    wait_for_state("paused")
    window.rail.setup_button.click()  # a hidden field cannot have the focus
    typing = workbench._live_edits._delay
    rows = window.setup_drawer.forms.form("training").rows
    for typed in ("1,000", "2,5", "4 0", "3x"):
        typing.setInterval(100 * WAIT_MS)  # longer than any pause in the typing
        type_into(qtbot, window, "training.max_steps", typed)
        type_into(qtbot, window, "training.batch_size", typed)
        typing.setInterval(0)
        qtbot.waitUntil(lambda: not typing.isActive(), timeout=WAIT_MS)
        wait_for_answers(qtbot, window)
        assert workbench.draft is not None and workbench.draft.training.max_steps == 40, typed
        assert (workbench.draft.training.batch_size, workbench.waiting_changes) == (4, ()), typed
        assert [change.value for change in bridge.history.settings_changed] == [], typed
        for key in ("training.max_steps", "training.batch_size"):
            editor = rows[key].editor
            assert isinstance(editor, QLineEdit) and editor.text() == typed and rows[key].error
    typing.setInterval(100 * WAIT_MS)
    type_into(qtbot, window, "training.batch_size", "8")
    type_into(qtbot, window, "training.max_steps", "60")
    typing.setInterval(0)
    qtbot.waitUntil(lambda: bool(bridge.history.settings_changed), timeout=WAIT_MS)
    typing.setInterval(100 * WAIT_MS)
    for typed in ("1,000", "2,5", "4 0", "3x"):
        type_into(qtbot, window, "training.max_steps", typed)  # 60 was applied and stays
        type_into(qtbot, window, "training.batch_size", typed)  # 8 was complete and stays
        draft = workbench.draft
        assert draft is not None and (draft.training.max_steps, draft.training.batch_size) == (60, 8), typed


def test_a_dataset_with_a_long_title_does_not_widen_the_drawer(qtbot: QtBot, window: MainWindow) -> None:
    drawer = window.setup_drawer
    drawer.plugin_combo.addItem("A dataset of eighty letters, since whoever wrote it thought of no narrow drawer")
    window.rail.setup_button.click()
    drawer.sections["dataset"].heading.click()
    area = child_of(drawer, QScrollArea)
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0, timeout=WAIT_MS)
    assert area.horizontalScrollBar().maximum() == 0


def test_the_drawer_closes_when_learning_starts(qtbot: QtBot, window: MainWindow) -> None:
    window.rail.setup_button.click()
    assert window.setup_drawer.isVisible()
    qtbot.mouseClick(window.transport.step_buttons[0], Qt.MouseButton.LeftButton)
    assert not window.setup_drawer.isVisible()
    qtbot.waitUntil(lambda: window.context.bridge.state == "paused", timeout=WAIT_MS)


def test_changes_during_a_run_apply_or_wait(qtbot: QtBot, window: MainWindow) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    qtbot.mouseClick(window.transport.step_buttons[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    window.rail.setup_button.click()  # a hidden field cannot have the focus
    first = workbench.run
    type_into(qtbot, window, "training.optimizer.learning_rate", "5e-4")
    type_into(qtbot, window, "model.d_ff", "24")
    type_into(qtbot, window, "training.label_smoothing", "0.2")
    assert set(workbench.waiting_changes) == {"model.d_ff"}  # the others will be applied
    qtbot.waitUntil(lambda: len(bridge.history.settings_changed) == 2, timeout=WAIT_MS)
    assert set(workbench.waiting_changes) == {"model.d_ff"}
    assert window.setup_drawer.restart_button.text() == "Restart with 1 change"
    window.setup_drawer.restart_button.click()
    qtbot.waitUntil(lambda: workbench.run not in (None, first), timeout=WAIT_MS)
    assert not_none(first).exists()
    assert workbench.waiting_changes == ()


def test_the_help_says_where_a_run_continued_beyond_its_last_step_ends(qtbot: QtBot, window: MainWindow) -> None:
    workbench, bridge = window.context.workbench, window.context.bridge
    steps = window.setup_drawer.forms.form("training").rows["training.max_steps"]
    planned = steps.help_label.text()
    workbench.learn()
    qtbot.waitUntil(lambda: bridge.state == "finished", timeout=WAIT_MS)
    assert steps.help_label.text() == planned
    workbench.toggle()
    note = "This run continues to step 1,040; a new one ends here."
    qtbot.waitUntil(lambda: steps.help_label.text() == note, timeout=WAIT_MS)
    workbench.reset()
    qtbot.waitUntil(lambda: steps.help_label.text() == planned, timeout=WAIT_MS)


def test_an_invalid_file_or_a_preset_without_its_files_says_so_and_the_next_one_works(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    drawer = window.setup_drawer
    path = tmp_path / "wrong.yaml"
    path.write_text("dataset: {plugin: copy_task}\nmodel: {d_modle: 8}\n", encoding="utf-8")
    drawer.open_file(path)
    assert "d_modle" in window.trouble_strip.sentence.text()
    window.trouble_strip.dismiss()

    drawer.choose_preset("cmudict_letters")
    qtbot.waitUntil(lambda: window.trouble_strip.trouble is not None, timeout=WAIT_MS)
    assert "set dataset.options.folder" in not_none(window.trouble_strip.trouble).sentence
    drawer.choose_preset("copy_task")
    qtbot.waitUntil(lambda: window.trouble_strip.trouble is None, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "num_symbols" in drawer.plugin_options.form.rows, timeout=WAIT_MS)


def test_changes_are_counted_against_the_settings_of_the_opened_run(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    drawer, workbench = window.setup_drawer, window.context.workbench
    workbench.learn(1)
    wait_for_state("paused")
    run = not_none(workbench.run)
    drawer.choose_preset("copy_task")
    workbench.restart()
    qtbot.waitUntil(lambda: workbench.run not in (None, run), timeout=WAIT_MS)
    workbench.open_run(run)
    qtbot.waitUntil(lambda: workbench.run == run, timeout=WAIT_MS)
    assert [section.heading.text() for section in drawer.sections.values()] == [
        "Dataset", "Model", "Training", "Decoding",
    ]  # fmt: skip
    assert (drawer.preset_combo.currentText(), drawer.summary_label.text()) == ("", f"The settings of {run.name}.")

    drawer.choose_preset("copy_task")
    workbench.open_run(run)  # again
    wait_for_state("paused")
    assert (drawer.preset_combo.currentText(), drawer.summary_label.text()) == ("", f"The settings of {run.name}.")
    assert drawer.sections["model"].heading.text() == "Model"

    workbench.learn(1)
    qtbot.waitUntil(lambda: window.context.bridge.history.last_step == 2, timeout=WAIT_MS)
    wait_for_state("paused")
    make_unsaveable(run)
    workbench.edit("model.d_ff", 24)
    workbench.restart()  # is refused
    wait_for_answers(qtbot, window)
    assert workbench.run == run and drawer.sections["model"].heading.text() == "Model · 1 changed"
    drawer.choose_preset("copy_task")
    workbench.restart()
    wait_for_answers(qtbot, window)
    assert workbench.run == run and drawer.preset_combo.currentText() == "copy_task"


def test_the_summary_names_the_example_run_and_not_its_folder(qtbot: QtBot, empty_window: MainWindow) -> None:
    drawer, workbench = empty_window.setup_drawer, empty_window.context.workbench
    workbench.open_run(example_path())
    qtbot.waitUntil(lambda: workbench.run == example_path() and not workbench.is_opening, timeout=WAIT_MS)
    assert (drawer.preset_combo.currentText(), drawer.summary_label.text()) == ("", "The settings of the example run.")
