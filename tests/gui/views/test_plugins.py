"""The Plugins view, operated by mouse and keyboard, with plugin files that are written and edited."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from pytestqt.qtbot import QtBot

from core.home_paths import shorten_home
from core.plugins_host.discovery import user_plugins_dir
from gui.main_window import VIEWS, MainWindow
from gui.panels.datasets.plugin_details import NOT_CHECKED, paragraphs
from gui.views.plugins import HINT, RUN_KEEPS_CODE, WRITTEN, PluginsView
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.tables import row_texts
from tests.gui.waiting import wait_for

WORDS_PLUGIN = '''
from core.plugin import DatasetPlugin, Options, Pair, option, split_of

class WordsOptions(Options):
    length: int = option(3, ge=1, le=9)

class Words(DatasetPlugin[WordsOptions]):
    """Write the word down."""
    name = "words"
    title = "Some words"

    def pairs(self, split, rng):
        for _ in range(60):
            word = "".join(rng.choices("abcdef", k=self.options.length + 2))
            if split_of(word) == split:
                yield Pair(word, word)

PLUGIN = Words
'''
BROKEN_PLUGIN = "from core.plugin import DatasetPlugin\n\nPLUGIN = 1 / 0\n"
LEAKING_PLUGIN = (
    WORDS_PLUGIN.replace('"words"', '"leaking"')
    .replace("if split_of(word) == split", "if word")
    .replace("abcdef", "ab")
)


@pytest.fixture
def folder(home: Path) -> Path:
    """The user's plugin folder with three plugins: one works, one cannot be loaded, one has findings."""
    path = user_plugins_dir()
    path.mkdir(parents=True)
    for name, text in (("words", WORDS_PLUGIN), ("broken", BROKEN_PLUGIN), ("leaking", LEAKING_PLUGIN)):
        (path / f"{name}.py").write_text(text, encoding="utf-8")
    return path.resolve()


@pytest.fixture
def view(folder: Path, empty_window: MainWindow, qtbot: QtBot) -> PluginsView:
    """The open view with its rows."""
    shown = empty_window.plugins_view
    empty_window.show_view(VIEWS.index(type(shown)))
    qtbot.waitUntil(lambda: bool(shown.table.rows), timeout=WAIT_MS)
    return shown


class FileManager(QObject):
    """Opens folders in place of the desktop's file manager, and records them."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.opened.append(url.toLocalFile())


@pytest.fixture
def file_manager() -> Iterator[FileManager]:
    """A file manager that records every folder that is opened."""
    manager = FileManager()
    QDesktopServices.setUrlHandler("file", manager, "open")  # type: ignore[arg-type]  # its types want bytes, which it refuses
    yield manager
    QDesktopServices.unsetUrlHandler("file")


def row(view: PluginsView, name: str) -> list[str]:
    """The texts of a plugin's row."""
    number = next(number for number, row in enumerate(view.table.rows) if row.info.name == name)
    return row_texts(view.table, number)


def click(qtbot: QtBot, button: object) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def reload(view: PluginsView, qtbot: QtBot) -> None:
    """Press F5 and wait until all files are read."""
    qtbot.keyClick(view.table, Qt.Key.Key_F5)
    assert not view.reload_button.isEnabled() and "Reading" in view.reload_button.toolTip()
    qtbot.waitUntil(view.reload_button.isEnabled, timeout=WAIT_MS)


def test_rows_show_origin_version_and_errors_and_every_control_is_named(view: PluginsView, folder: Path) -> None:
    assert view.table.hasFocus()
    buttons = (view.try_button, view.check_button, view.new_button, view.reload_button, view.folder_button)
    for control in (*buttons, view.table, view.name_edit):
        assert control.accessibleName() and control.toolTip()
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert view.about.accessibleName() and view.findings.accessibleName()
    assert row(view, "words") == ["Some words", "words", "ready", "API 1", shorten_home(folder)]
    assert row(view, "copy_task")[2:] == ["ready", "API 1", "Headlight"]
    assert [row.info.name for row in view.table.rows][:3] == ["broken", "leaking", "words"]  # errors first
    titles = [row.info.title.lower() for row in view.table.rows[3:]]
    assert titles == sorted(titles) and titles[-1] == "sort letters"
    sentence = f"Plugin 'broken' failed: ZeroDivisionError: division by zero ({folder / 'broken.py'}, line 3)."
    assert row(view, "broken")[2] == f"✗ {sentence}"
    assert view.table.columnSpan(0, 2) == 3
    assert not_none(view.table.selected_row).info.name == "broken"
    assert sentence in view.about.text
    assert not view.try_button.isEnabled() and sentence in view.try_button.toolTip()


def test_enter_chooses_a_plugin_in_setup(
    view: PluginsView, empty_window: MainWindow, qtbot: QtBot, folder: Path
) -> None:
    view.table.select(str(folder / "words.py"))
    assert "Write the word down." in view.about.text and NOT_CHECKED in view.findings.text
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    assert empty_window.pages.currentWidget() is empty_window.train_view
    drawer, workbench = empty_window.setup_drawer, empty_window.context.workbench
    assert drawer.isVisible() and drawer.plugin_combo.currentText() == "Some words"
    assert workbench.draft is not None
    assert (workbench.draft.name, workbench.draft.dataset.plugin) == ("words", "words")
    qtbot.waitUntil(lambda: empty_window.context.bridge.state == "ready", timeout=WAIT_MS)
    assert not empty_window.trouble_strip.isVisible()


def test_a_plugin_with_a_preset_is_chosen_with_it(view: PluginsView, empty_window: MainWindow, qtbot: QtBot) -> None:
    view.table.select(next(row.info.origin for row in view.table.rows if row.info.name == "copy_task"))
    click(qtbot, view.try_button)
    assert empty_window.setup_drawer.preset_combo.currentText() == "copy_task"


def test_a_plugin_in_place_of_headlights_own_is_not_chosen_with_the_preset_of_that(
    view: PluginsView, empty_window: MainWindow, qtbot: QtBot, folder: Path
) -> None:
    """Its options are others."""
    (folder / "copy_task.py").write_text(WORDS_PLUGIN.replace('"words"', '"copy_task"'), encoding="utf-8")
    reload(view, qtbot)
    view.table.select(str(folder / "copy_task.py"))
    click(qtbot, view.try_button)
    draft = not_none(empty_window.context.workbench.draft)
    assert (draft.dataset.plugin, draft.dataset.options) == ("copy_task", {})
    qtbot.waitUntil(lambda: empty_window.context.bridge.state == "ready", timeout=WAIT_MS)
    assert not empty_window.trouble_strip.isVisible()


def test_a_new_plugin_is_named_written_and_shown(
    view: PluginsView, qtbot: QtBot, folder: Path, file_manager: FileManager
) -> None:
    click(qtbot, view.new_button)
    assert view.name_edit.hasFocus() and not view.path_label.isVisible()
    for name, expected in (("My words", "is not a name for a plugin"), ("words", "already a dataset plugin 'words'")):
        view.name_edit.selectAll()
        qtbot.keyClicks(view.name_edit, name)
        qtbot.keyClick(view.name_edit, Qt.Key.Key_Return)
        wait_for(qtbot, lambda expected: expected in view.note_label.text(), expected)
        assert view.name_edit.text() == name
    view.name_edit.selectAll()
    qtbot.keyClicks(view.name_edit, "my_words")
    qtbot.keyClick(view.name_edit, Qt.Key.Key_Return)
    qtbot.waitUntil(
        lambda: view.table.selected_row is not None and view.table.selected_row.info.name == "my_words", timeout=WAIT_MS
    )
    assert row(view, "my_words") == ["My words", "my_words", "ready", "API 1", shorten_home(folder)]
    assert file_manager.opened == [str(folder)]
    assert view.name_edit.isHidden() and view.path_label.isVisible()
    assert view.note_label.text() == WRITTEN.format("my_words.py")


def test_esc_cancels_a_new_plugin(view: PluginsView, empty_window: MainWindow, qtbot: QtBot, folder: Path) -> None:
    click(qtbot, view.new_button)
    qtbot.keyClicks(view.name_edit, "my_words")
    qtbot.keyClick(view.name_edit, Qt.Key.Key_Escape)
    assert view.name_edit.isHidden() and view.table.hasFocus()
    assert not (folder / "my_words.py").exists()


def test_enter_twice_and_esc_write_one_plugin_and_close_the_field(
    view: PluginsView, empty_window: MainWindow, qtbot: QtBot, file_manager: FileManager
) -> None:
    click(qtbot, view.new_button)
    qtbot.keyClicks(view.name_edit, "my_words")
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Return, Qt.Key.Key_Escape):  # before it is written
        qtbot.keyClick(view.name_edit, key)
    qtbot.waitUntil(
        lambda: view.table.selected_row is not None and view.table.selected_row.info.name == "my_words", timeout=WAIT_MS
    )
    assert view.name_edit.isHidden() and view.path_label.isVisible()
    assert view.note_label.text() == WRITTEN.format("my_words.py")
    assert len(file_manager.opened) == 1 and empty_window.trouble_strip.trouble is None


def test_esc_cancels_a_new_plugin_that_is_refused_later(
    view: PluginsView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    click(qtbot, view.new_button)
    qtbot.keyClicks(view.name_edit, "words")  # this name is taken
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Escape):
        qtbot.keyClick(view.name_edit, key)
    qtbot.waitUntil(lambda: not view.name_edit.isReadOnly(), timeout=WAIT_MS)
    assert view.name_edit.isHidden() and view.note_label.text() == HINT and empty_window.trouble_strip.trouble is None


def test_the_plugin_folder_is_made_if_it_is_missing(
    empty_window: MainWindow, qtbot: QtBot, file_manager: FileManager
) -> None:
    view = empty_window.plugins_view
    empty_window.show_view(VIEWS.index(type(view)))
    click(qtbot, view.folder_button)
    assert file_manager.opened == [str(user_plugins_dir())] and user_plugins_dir().is_dir()


def test_a_check_shows_its_findings_until_the_plugins_are_reloaded(
    view: PluginsView, empty_window: MainWindow, qtbot: QtBot, folder: Path
) -> None:
    view.table.select(str(folder / "leaking.py"))
    click(qtbot, view.check_button)
    assert view.check_button.text() == "Stop check" and "Checking: " in view.findings.text
    qtbot.waitUntil(lambda: view.checks.running is None, timeout=WAIT_MS)
    assert row(view, "leaking")[2].startswith("ready · ") and row(view, "leaking")[2].endswith("findings")
    assert "are in the train split too" in view.findings.text and "split_of" in view.findings.text
    assert empty_window.status_bar.stage_label.isHidden()
    view.table.select(str(folder / "words.py"))
    assert NOT_CHECKED in view.findings.text
    (folder / "leaking.py").write_text(WORDS_PLUGIN.replace('"words"', '"leaking"'), encoding="utf-8")
    reload(view, qtbot)
    qtbot.waitUntil(lambda: row(view, "leaking")[2] == "ready", timeout=WAIT_MS)


def test_a_check_can_be_stopped(view: PluginsView, qtbot: QtBot, folder: Path) -> None:
    view.table.select(str(folder / "words.py"))
    click(qtbot, view.check_button)
    qtbot.waitUntil(lambda: view.checks.stage != "starting", timeout=WAIT_MS)
    click(qtbot, view.check_button)
    assert view.check_button.text() == "Check" and NOT_CHECKED in view.findings.text
    assert view.checks.reports == {}


def test_a_late_report_does_not_end_the_next_check(view: PluginsView, qtbot: QtBot, folder: Path) -> None:
    checks = view.checks
    plugins = {one.info.name: one.info for one in view.table.rows}
    first, second = plugins["leaking"], plugins["words"]
    checks.start(first)
    report_is_here = Event()
    not_none(checks._answer).add_done_callback(lambda _: report_is_here.set())
    assert report_is_here.wait(WAIT_MS / 1000)  # it has arrived, but the window has not processed it
    checks.start(second)
    checks._bridge.drain()
    assert checks.running is second
    qtbot.waitUntil(lambda: checks.running is None, timeout=WAIT_MS)
    assert list(checks.reports) == [second.origin]


def test_an_edited_plugin_can_be_reloaded_while_a_run_learns(
    view: PluginsView, empty_window: MainWindow, qtbot: QtBot, folder: Path
) -> None:
    bridge, workbench, drawer = empty_window.context.bridge, empty_window.context.workbench, empty_window.setup_drawer
    small = {"d_model": 16, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1, "d_ff": 16}
    view.table.select(str(folder / "words.py"))
    view.try_chosen()
    for key, value in small.items():
        workbench.edit(f"model.{key}", value)
    workbench.edit("dataset.options", {"length": 4})
    workbench.set_pace(20)
    workbench.learn(60)
    qtbot.waitUntil(lambda: bridge.history.last_step > 3, timeout=WAIT_MS)
    workbench.set_pace(1)  # a minute for what follows
    run = workbench.run
    edited = WORDS_PLUGIN.replace("length", "size").replace("abcdef", "uvwxyz").replace("Some words", "Other words")
    (folder / "words.py").write_text(edited, encoding="utf-8")
    (folder / "broken.py").unlink()
    empty_window.show_view(VIEWS.index(type(view)))
    reload(view, qtbot)
    assert view.note_label.text() == RUN_KEEPS_CODE and bridge.state == "learning"
    assert row(view, "words")[0] == "Other words" and "broken" not in [row.info.name for row in view.table.rows]
    assert drawer.plugin_combo.currentText() == "Other words" and list(drawer.plugin_options.form.rows) == ["size"]
    assert not_none(workbench.draft).dataset.options == {}
    workbench.set_pace(None)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    assert bridge.history.last_step == 60 and workbench.run == run and not empty_window.trouble_strip.isVisible()
    assert set(not_none(bridge.history.prepared).src_tokens[4:]) == set("abcdef")
    workbench.prepare()
    qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
    assert set(not_none(bridge.history.prepared).src_tokens[4:]) == set("uvwxyz")
    assert view.note_label.text() == HINT


def test_before_learning_an_edited_plugin_is_prepared_at_once(
    view: PluginsView, empty_window: MainWindow, qtbot: QtBot, folder: Path
) -> None:
    bridge = empty_window.context.bridge
    view.table.select(str(folder / "words.py"))
    view.try_chosen()
    qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
    (folder / "words.py").write_text(WORDS_PLUGIN.replace("abcdef", "uvwxyz"), encoding="utf-8")
    empty_window.show_view(VIEWS.index(type(view)))
    reload(view, qtbot)
    assert view.note_label.text() == HINT
    qtbot.waitUntil(lambda: set(not_none(bridge.history.prepared).src_tokens[4:]) == set("uvwxyz"), timeout=WAIT_MS)


def test_the_error_of_a_plugin_disappears_once_it_is_fixed(
    view: PluginsView, empty_window: MainWindow, qtbot: QtBot, folder: Path
) -> None:
    bridge, strip = empty_window.context.bridge, empty_window.trouble_strip
    raising = WORDS_PLUGIN.replace("for _ in range(60):", "for _ in [1 / 0]:")
    (folder / "words.py").write_text(raising, encoding="utf-8")
    reload(view, qtbot)
    assert row(view, "words")[2] == "ready"
    top = view.table.mapTo(view, view.table.rect().topLeft())
    view.table.select(str(folder / "words.py"))
    view.try_chosen()
    qtbot.waitUntil(strip.isVisible, timeout=WAIT_MS)
    sentence = f"Plugin 'words' failed: ZeroDivisionError: division by zero ({folder / 'words.py'}, line 13)."
    assert not_none(strip.trouble).sentence == sentence
    empty_window.context.workbench.learn()
    qtbot.waitUntil(lambda: "(1 more)" in strip.sentence.text(), timeout=WAIT_MS)
    empty_window.show_view(VIEWS.index(type(view)))
    assert row(view, "words")[2] == f"✗ {sentence}" and sentence in view.about.text
    assert view.table.columnSpan(0, 2) == 3 and view.try_button.isEnabled()
    (folder / "words.py").write_text(WORDS_PLUGIN, encoding="utf-8")
    reload(view, qtbot)
    qtbot.waitUntil(lambda: bridge.state == "ready" and not strip.isVisible(), timeout=WAIT_MS)
    assert set(not_none(bridge.history.prepared).src_tokens[4:]) == set("abcdef") and strip.trouble is None
    assert row(view, "words")[2] == "ready" and view.note_label.text() == HINT
    assert view.table.mapTo(view, view.table.rect().topLeft()) == top


def test_a_docstring_loses_backticks_and_line_breaks_except_in_lists() -> None:
    doc = "First\n`line`.\n\nLook for:\n- one\n  thing\n- `<eos>` and `a\n  b`"
    assert paragraphs(doc) == ["First line.", "Look for:", "- one thing", "- <eos> and a b"]


def test_the_note_and_the_field_for_a_name_follow_the_zoom(view: PluginsView) -> None:
    theme = view.context.theme
    for zoom in (200, 100):
        theme.set_zoom(zoom)
        assert view.name_edit.minimumWidth() == theme.px(264)
        assert view.note_label.minimumHeight() == view.note_label.fontMetrics().lineSpacing()
