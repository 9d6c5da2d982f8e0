"""The options of the chosen plugin in the Setup drawer of a real window."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLineEdit
from pytestqt.qtbot import QtBot

from core.run_folder import RunFolder
from core.settings.presets import read_preset
from gui.main_window import MainWindow
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.shared_host import SharedHost


@pytest.fixture(scope="module")
def options_host(shared_home: Path) -> Iterator[SharedHost]:
    """A host that checks options, with its process started."""
    host = SharedHost()
    host.plugins()
    yield host
    host.end()


@pytest.fixture(autouse=True)
def windows_share_a_host(options_host: SharedHost, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make each window here ask this host instead of starting its own."""
    monkeypatch.setattr("gui.datasets.plugin_catalogue.PluginHost", lambda: options_host)


def wait_for_verdicts(qtbot: QtBot, window: MainWindow) -> None:
    """Wait until the plugin has checked every edited option."""
    completed: list[object] = []
    window.context.bridge.run_in_background(lambda: None, completed.append)  # queued behind the checks
    qtbot.waitUntil(lambda: bool(completed), timeout=WAIT_MS)


def test_the_check_of_an_option_is_dropped_when_another_plugin_is_chosen(qtbot: QtBot, window: MainWindow) -> None:
    drawer, workbench = window.setup_drawer, window.context.workbench
    qtbot.waitUntil(lambda: "num_symbols" in drawer.plugin_options.form.rows, timeout=WAIT_MS)
    drawer.plugin_options.form.edited.emit("num_symbols", 5)
    drawer.plugin_options.form.edited.emit("num_symbols", -5)
    drawer.choose_preset("phonetic_to_letter")
    wait_for_verdicts(qtbot, window)
    assert "num_symbols" not in not_none(workbench.draft).dataset.options


def test_an_edit_in_a_form_that_was_replaced_is_dropped(qtbot: QtBot, window: MainWindow) -> None:
    drawer, workbench = window.setup_drawer, window.context.workbench
    qtbot.waitUntil(lambda: "num_symbols" in drawer.plugin_options.form.rows, timeout=WAIT_MS)
    old = drawer.plugin_options.form
    drawer.choose_preset("phonetic_to_letter")
    assert drawer.plugin_options.form is not old
    old.edited.emit("num_symbols", 5)  # typed before Qt deletes the form
    wait_for_verdicts(qtbot, window)
    assert window.trouble_strip.trouble is None
    assert "num_symbols" not in not_none(workbench.draft).dataset.options


def test_an_invalid_option_does_not_change_the_draft(qtbot: QtBot, window: MainWindow) -> None:
    drawer, workbench = window.setup_drawer, window.context.workbench
    window.rail.setup_button.click()
    drawer.sections["dataset"].heading.setChecked(True)  # a hidden field cannot have the focus
    row = drawer.plugin_options.form.rows["num_symbols"]
    assert isinstance(row.editor, QLineEdit) and workbench.draft is not None
    before = workbench.draft.dataset.options
    row.editor.setFocus()
    row.editor.selectAll()
    for keys, num_symbols in (("2", 2), (",5", before["num_symbols"])):
        qtbot.keyClicks(row.editor, keys)
        wait_for_verdicts(qtbot, window)
        assert workbench.draft.dataset.options == {**before, "num_symbols": num_symbols}
    assert row.editor.text() == "2,5" and row.error


def test_an_option_left_out_stays_left_out_when_an_edit_is_refused(
    qtbot: QtBot, window: MainWindow, small_file: Path
) -> None:
    drawer, workbench = window.setup_drawer, window.context.workbench
    content = small_file.read_text(encoding="utf-8")
    small_file.write_text(re.sub("num_symbols: [0-9]+, ", "", content), encoding="utf-8")
    drawer.open_file(small_file)
    draft = not_none(workbench.draft)
    assert "num_symbols" not in draft.dataset.options
    window.rail.setup_button.click()
    drawer.sections["dataset"].heading.setChecked(True)  # a hidden field cannot have the focus
    editor = drawer.plugin_options.form.rows["num_symbols"].editor
    assert isinstance(editor, QLineEdit)
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClicks(editor, "2")
    wait_for_verdicts(qtbot, window)
    assert not_none(workbench.draft).dataset.options["num_symbols"] == 2
    assert "1 changed" in drawer.sections["dataset"].heading.text()
    qtbot.keyClicks(editor, ",5")
    wait_for_verdicts(qtbot, window)
    assert workbench.draft == draft
    assert "changed" not in drawer.sections["dataset"].heading.text()


def test_a_missing_plugin_shows_no_options_of_the_previous_one(
    qtbot: QtBot, window: MainWindow, small_file: Path, tmp_path: Path
) -> None:
    drawer, missing = window.setup_drawer, tmp_path / "missing.yaml"
    qtbot.waitUntil(lambda: "num_symbols" in drawer.plugin_options.form.rows, timeout=WAIT_MS)
    missing.write_text(small_file.read_text(encoding="utf-8").replace("copy_task", "gone"), encoding="utf-8")
    drawer.open_file(missing)
    assert not drawer.plugin_options.form.rows
    drawer.open_file(small_file)
    assert "num_symbols" in drawer.plugin_options.form.rows


def test_options_that_fit_only_together_can_be_typed_one_after_the_other(qtbot: QtBot, window: MainWindow) -> None:
    drawer, workbench = window.setup_drawer, window.context.workbench
    qtbot.waitUntil(lambda: "min_length" in drawer.plugin_options.form.rows, timeout=WAIT_MS)
    rows = drawer.plugin_options.form.rows
    drawer.plugin_options.form.edited.emit("min_length", 5)
    qtbot.waitUntil(lambda: bool(rows["min_length"].error), timeout=WAIT_MS)
    assert rows["min_length"].error == "min_length 5 is above max_length 3."
    drawer.plugin_options.form.edited.emit("max_length", 6)
    qtbot.waitUntil(lambda: not rows["min_length"].error, timeout=WAIT_MS)
    options = not_none(workbench.draft).dataset.options
    assert (options["min_length"], options["max_length"]) == (5, 6)


def test_two_options_edited_at_once_are_both_kept(qtbot: QtBot, window: MainWindow) -> None:
    drawer, workbench = window.setup_drawer, window.context.workbench
    qtbot.waitUntil(lambda: "num_symbols" in drawer.plugin_options.form.rows, timeout=WAIT_MS)
    drawer.plugin_options.form.edited.emit("num_symbols", 5)
    drawer.plugin_options.form.edited.emit("max_length", 4)
    wait_for_verdicts(qtbot, window)
    options = not_none(workbench.draft).dataset.options
    assert (options["num_symbols"], options["max_length"]) == (5, 4)


def test_a_refused_option_stays_marked_when_another_is_edited_meanwhile(qtbot: QtBot, window: MainWindow) -> None:
    drawer, workbench = window.setup_drawer, window.context.workbench
    qtbot.waitUntil(lambda: "num_symbols" in drawer.plugin_options.form.rows, timeout=WAIT_MS)
    drawer.plugin_options.form.edited.emit("num_symbols", -5)
    drawer.plugin_options.form.edited.emit("max_length", 4)
    qtbot.waitUntil(lambda: workbench.draft.dataset.options["max_length"] == 4, timeout=WAIT_MS)  # type: ignore[union-attr]
    assert drawer.plugin_options.form.rows["num_symbols"].error
    assert drawer.restart_button.toolTip() == "First fix what is marked ✗: dataset.options.num_symbols"


def test_the_check_of_an_option_is_dropped_when_a_preset_is_chosen_again(qtbot: QtBot, window: MainWindow) -> None:
    drawer, workbench = window.setup_drawer, window.context.workbench
    drawer.choose_preset("copy_task")
    drawer.plugin_options.form.edited.emit("num_symbols", 5)
    drawer.choose_preset("copy_task")
    wait_for_verdicts(qtbot, window)
    assert workbench.draft == read_preset("copy_task")


@pytest.mark.parametrize(("typed", "learned_value"), [(5, 5), (-5, 4)])
def test_learn_waits_for_the_check_of_an_option(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None], typed: int, learned_value: int
) -> None:
    drawer, workbench = window.setup_drawer, window.context.workbench
    qtbot.waitUntil(lambda: "num_symbols" in drawer.plugin_options.form.rows, timeout=WAIT_MS)
    drawer.plugin_options.form.edited.emit("num_symbols", typed)
    qtbot.mouseClick(window.transport.step_buttons[0], Qt.MouseButton.LeftButton)
    wait_for_state("paused")
    assert RunFolder.open(not_none(workbench.run)).config().dataset.options["num_symbols"] == learned_value
    notice = "What was typed for dataset.options.num_symbols does not fit: the run learns without it."
    assert (window.trouble_strip.sentence.text() == notice) is (typed != learned_value)


@pytest.mark.parametrize("typed", [5, -5])
def test_restart_waits_for_the_check_of_an_option_and_needs_it_to_pass(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None], typed: int
) -> None:
    drawer, workbench = window.setup_drawer, window.context.workbench
    workbench.learn(1)
    wait_for_state("paused")
    run = workbench.run
    workbench.edit("model.d_ff", 24)  # shows the restart button
    drawer.plugin_options.form.edited.emit("num_symbols", typed)
    drawer.restart_button.click()
    assert workbench.run == run
    wait_for_verdicts(qtbot, window)
    if typed == 5:
        qtbot.waitUntil(lambda: workbench.run not in (None, run), timeout=WAIT_MS)
        assert not_none(workbench.applied).dataset.options["num_symbols"] == 5
    else:
        assert workbench.run == run and not drawer.restart_button.isEnabled() and window.trouble_strip.trouble is None


def test_an_option_shows_the_new_value_while_the_plugin_checks_it(qtbot: QtBot, window: MainWindow) -> None:
    drawer, workbench = window.setup_drawer, window.context.workbench
    qtbot.waitUntil(lambda: "fixed_first" in drawer.plugin_options.form.rows, timeout=WAIT_MS)
    box = drawer.plugin_options.form.rows["fixed_first"].editor
    assert isinstance(box, QCheckBox)
    box.click()
    workbench.changed.emit()  # as at any other event meanwhile
    assert box.isChecked()
    wait_for_verdicts(qtbot, window)
    assert box.isChecked() and workbench.draft is not None and workbench.draft.dataset.options["fixed_first"]


def test_reset_or_a_preset_cancels_a_learn_that_waits_for_a_plugin(qtbot: QtBot, window: MainWindow) -> None:
    drawer, workbench, requests = window.setup_drawer, window.context.workbench, list[None]()
    qtbot.waitUntil(lambda: "num_symbols" in drawer.plugin_options.form.rows, timeout=WAIT_MS)
    workbench.learn_requested.connect(lambda: requests.append(None))
    for cancel in (window.transport.reset_button.click, lambda: drawer.choose_preset("copy_task")):
        drawer.plugin_options.form.edited.emit("num_symbols", 5)
        window.transport.learn_button.click()
        cancel()
        wait_for_verdicts(qtbot, window)
        qtbot.waitUntil(lambda: window.context.bridge.state == "ready", timeout=WAIT_MS)
    assert not requests and workbench.draft == read_preset("copy_task")


def test_a_bug_while_an_option_is_checked_is_reported_and_learn_still_works(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawer = window.setup_drawer
    qtbot.waitUntil(lambda: "num_symbols" in drawer.plugin_options.form.rows, timeout=WAIT_MS)
    monkeypatch.setattr(window.context.plugins.host, "options", lambda *_: 1 / 0)
    drawer.plugin_options.form.edited.emit("num_symbols", 5)
    qtbot.waitUntil(lambda: window.trouble_strip.trouble is not None, timeout=WAIT_MS)
    qtbot.mouseClick(window.transport.step_buttons[0], Qt.MouseButton.LeftButton)
    wait_for_state("paused")
