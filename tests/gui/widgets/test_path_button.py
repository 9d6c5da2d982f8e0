"""A file or folder is chosen in a dialog instead of typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

from core.plugin import File, Folder, Options, option
from core.settings.fields import schema_settings
from gui.option_form import OptionForm
from gui.widgets.path_button import PathButton
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import child_of


class PathOptions(Options):
    folder: Folder = option(".")
    corpus: File = option("")
    words: str = option("")


@pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform has no size hints for dialogs
@pytest.mark.parametrize("key", ["folder", "corpus"])
def test_the_chosen_path_is_put_into_the_field(qtbot: QtBot, tmp_path: Path, key: str) -> None:
    (tmp_path / "corpus").mkdir()
    chosen = tmp_path / "corpus" if key == "folder" else tmp_path / "train.en"
    if key == "corpus":
        chosen.touch()
    form = OptionForm(schema_settings(PathOptions.model_json_schema()))
    qtbot.addWidget(form)
    row = form.rows[key]
    row.show_value(str(tmp_path if key == "folder" else tmp_path / "older.en"))
    button = child_of(row, PathButton)
    assert button.text() == "Choose …"
    with qtbot.waitSignal(form.edited, timeout=WAIT_MS) as edited:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        dialog = child_of(button, QFileDialog)  # open, without blocking the window
        assert Path(dialog.directory().absolutePath()) == tmp_path
        dialog.selectFile(str(chosen))
        dialog.accept()
    assert edited.args == [key, str(chosen)]
    assert isinstance(row.editor, QLineEdit) and row.editor.text() == str(chosen)


@pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform has no size hints for dialogs
@pytest.mark.parametrize("before", ["", "en/older.en"])
@pytest.mark.parametrize("is_inside", [True, False])
def test_a_file_inside_the_folder_is_given_relative_to_it(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, is_inside: bool
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "corpus" / "en").mkdir(parents=True)
    chosen = tmp_path / "corpus" / "en" / "train.en" if is_inside else tmp_path / "train.en"
    chosen.touch()
    form = OptionForm(schema_settings(PathOptions.model_json_schema()))
    qtbot.addWidget(form)
    form.show_values({"folder": "~/corpus", "corpus": before})
    button = child_of(form.rows["corpus"], PathButton)
    assert button.text() == "Choose …"
    with qtbot.waitSignal(form.edited, timeout=WAIT_MS) as edited:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        dialog = child_of(button, QFileDialog)
        assert Path(dialog.directory().absolutePath()) == tmp_path / "corpus" / ("en" if before else "")
        dialog.selectFile(str(chosen))
        dialog.accept()
    assert edited.args == ["corpus", "en/train.en" if is_inside else str(chosen)]


def test_text_options_have_no_path_button(qtbot: QtBot) -> None:
    form = OptionForm(schema_settings(PathOptions.model_json_schema()))
    qtbot.addWidget(form)
    assert form.rows["words"].findChild(PathButton) is None
    button = child_of(form.rows["folder"], PathButton)
    assert button.accessibleName() == "Choose a folder: Folder"
