"""A form made from declared settings: one row per key, with its help and its error."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFocusEvent, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from core.errors import UserError
from core.home_paths import expand_home
from core.plugin_files import absolute
from core.settings.fields import SettingField
from core.settings.overriding import parse_value
from gui.text_list import format_texts, parse_texts
from gui.theme import GRID
from gui.widgets.combo_boxes import NoWheelComboBox
from gui.widgets.labels import escape_mnemonics, plain_label
from gui.widgets.path_button import PathButton
from gui.widgets.scroll_areas import scroll_into_view

NONE = "none"
AUTO = "auto"
_TAB_REASONS = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
_WITH_THOUSANDS = re.compile(r"[+-]?\d{1,3}([,.\s])\d{3}(\1\d{3})*")


class OptionForm(QWidget):
    """One `FormRow` per field, except for fields of kind "options".

    `edited` carries a key and its new value at each keystroke; `editing_finished` says that it is complete: Enter
    was pressed, a box was ticked, or the field lost the focus.
    """

    edited = Signal(str, object)
    editing_finished = Signal()

    def __init__(self, fields: Sequence[SettingField]) -> None:
        super().__init__()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        self.rows = {field.key: FormRow(field, self._folder) for field in fields if field.kind != "options"}
        for row in self.rows.values():
            layout.addWidget(row)
            row.edited.connect(self.edited)
            row.editing_finished.connect(self.editing_finished)

    def show_values(self, values: Mapping[str, Any]) -> None:
        """Show a nested dict of settings; rows inside a group that is switched off are hidden."""
        for key, row in self.rows.items():
            found, value = _look_up(values, key.split("."))
            row.setVisible(found)
            if found:
                row.show_value(value)

    def _folder(self) -> str | None:
        """The text of the first field that names a folder, to which relative file names refer; None without one."""
        editors = (row.editor for row in self.rows.values() if row.field.path == "folder")
        return next((editor.text() for editor in editors if isinstance(editor, QLineEdit)), None)

    def key_of_file(self, sentence: str) -> str:
        """The key of the field whose file a sentence begins with, as in `/corpus/train.de, line 7 ...`; or empty."""
        folder = Path(absolute(self._folder() or ""))
        for key, row in self.rows.items():
            if row.field.path == "file" and isinstance(row.editor, QLineEdit) and row.editor.text():
                path = folder / expand_home(row.editor.text())
                if sentence.startswith((f"{path} ", f"{path}, ")):
                    return key
        return ""

    def clear_errors(self) -> None:
        """Clear all errors and typed text, so that every row shows the next values."""
        for row in self.rows.values():
            row.clear_typed()


class FormRow(QWidget):
    """Label, editor, help and error of one key."""

    edited = Signal(str, object)
    editing_finished = Signal()

    def __init__(self, field: SettingField, folder: Callable[[], str | None]) -> None:
        super().__init__()
        self.field = field
        self.error = ""
        self.last_complete_value: Any = None  # to go back to if what is being typed does not fit
        self.editor = _make_editor(field)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID // 2)
        if self.editor is None:
            layout.addWidget(plain_label(field.label, role="heading"))
            return
        self.error_label = plain_label(role="error", wraps=True)
        self.error_label.hide()
        if not isinstance(self.editor, QCheckBox):
            layout.addWidget(plain_label(field.label, wraps=True))
        self.editor.setAccessibleName(field.label)
        self.editor.setAccessibleDescription(help_text(field))
        self.editor.setToolTip(field.key)
        self.help_label = plain_label(help_text(field), role="muted", wraps=True)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        row.addWidget(self.editor)
        layout.addLayout(row)
        for label in (self.error_label, self.help_label):
            layout.addWidget(label)
        self.editor.installEventFilter(self)
        self._connect()
        if field.path:
            self._add_path_button(row, folder)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Scroll to all of this row when Tab reaches its editor: Qt scrolls to the editor only, its help may be cut."""
        if isinstance(event, QFocusEvent) and event.gotFocus() and event.reason() in _TAB_REASONS:
            scroll_into_view(self)
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Scroll to the error that has appeared below the editor."""
        super().resizeEvent(event)
        if self.editor is not None and self.editor.hasFocus():
            scroll_into_view(self)

    def show_value(self, value: Any) -> None:
        """Show a value without emitting `edited`; text that is being typed, or was refused, is left alone."""
        editor = self.editor
        if editor is None or self.error or self._is_being_typed(value):
            return
        editor.blockSignals(True)
        if isinstance(editor, QCheckBox):
            editor.setChecked(isinstance(value, Mapping) if self.field.kind == "group" else bool(value))
        elif isinstance(editor, QComboBox):
            editor.setCurrentText(format_value(value))
        else:
            editor.setText(format_value(value))
        editor.blockSignals(False)
        self.last_complete_value = value

    def _is_being_typed(self, value: Any) -> bool:
        """Whether the field has the focus and holds this value, however it is spelt, or text that is not taken yet."""
        editor = self.editor
        if not isinstance(editor, QLineEdit) or not editor.hasFocus():
            return False
        if parse_field(self.field, editor.text()) == value:
            editor.setModified(False)  # taken: values that come from elsewhere may replace it now
            return True
        return editor.isModified()

    def clear_typed(self) -> None:
        """Clear the error and the mark of typed text, so that the next value is shown."""
        self.show_error("")
        if isinstance(self.editor, QLineEdit):
            self.editor.setModified(False)

    def show_error(self, sentence: str) -> None:
        """Say below the editor what is wrong; an empty sentence clears it."""
        self.error = sentence
        if self.editor is None:
            return
        self.error_label.setText(f"✗ {sentence}{self._number_hint()}" if sentence else "")
        self.error_label.setVisible(bool(sentence))

    def show_note(self, sentence: str) -> None:
        """Say in place of the help why the field has no effect now; an empty sentence brings the help back."""
        assert self.editor is not None
        self.help_label.setText(sentence or help_text(self.field))
        self.editor.setAccessibleDescription(self.help_label.text())

    def _number_hint(self) -> str:
        """How to write a number typed with a decimal comma, as in much of Europe, or with separated thousands."""
        typed = self.editor.text().strip() if isinstance(self.editor, QLineEdit) else ""
        if self.field.kind == "float" and re.fullmatch(r"[+-]?\d*,\d+", typed):
            return f" Write decimals with a point: {typed.replace(',', '.')}"
        if self.field.kind == "int" and _WITH_THOUSANDS.fullmatch(typed):
            return f" Write it without separators: {re.sub('[^0-9+-]', '', typed)}"
        return ""

    def _connect(self) -> None:
        if isinstance(self.editor, QCheckBox):
            self.editor.toggled.connect(self._handle_check)
        elif isinstance(self.editor, QComboBox):
            self.editor.textActivated.connect(self._handle_text)
        elif isinstance(self.editor, QLineEdit):
            self.editor.textEdited.connect(self._handle_text)
            self.editor.editingFinished.connect(self._finish_editing)

    def _handle_check(self, on: bool) -> None:
        off = AUTO if self.field.allows_auto else None
        self.edited.emit(self.field.key, ({} if on else off) if self.field.kind == "group" else on)
        self.editing_finished.emit()

    def _add_path_button(self, row: QHBoxLayout, folder: Callable[[], str | None]) -> None:
        assert isinstance(self.editor, QLineEdit)
        chooser = PathButton(self.editor, self.field.path, self.field.label, folder)
        chooser.chosen.connect(self.editor.setText)
        chooser.chosen.connect(self._handle_text)
        row.addWidget(chooser)

    def note_applied(self, value: Any) -> None:
        """The run has taken this value: if the field holds it, it counts as complete, even while the focus is there."""
        if isinstance(self.editor, QLineEdit) and parse_field(self.field, self.editor.text()) == value:
            self.last_complete_value = value

    def _finish_editing(self) -> None:
        """Take the typed value as complete."""
        assert isinstance(self.editor, QLineEdit)
        if not self.error:
            self.last_complete_value = parse_field(self.field, self.editor.text())
        self.editing_finished.emit()

    def _handle_text(self, text: str) -> None:
        self.edited.emit(self.field.key, parse_field(self.field, text))


def parse_field(field: SettingField, text: str) -> Any:
    """The value of what was typed, read as YAML; the text itself if that fails, for validation to refuse."""
    text = text.strip()
    if field.nullable and text in ("", NONE):
        return None
    if field.kind == "text" or (field.allows_auto and text == AUTO):
        return text
    if field.kind == "choice":
        return next((choice for choice in field.choices if str(choice) == text), text)
    try:
        if field.kind == "texts":
            return parse_texts(_without_brackets(text))
        return parse_value(f"[{_without_brackets(text)}]" if field.kind == "numbers" else text, field.label)
    except UserError:
        return text


def _without_brackets(text: str) -> str:
    """The inside of a list that was typed with YAML's brackets."""
    return text[1:-1] if text.startswith("[") and text.endswith("]") else text


def format_value(value: Any) -> str:
    """A value as the user would type it."""
    if value is None:
        return NONE
    if isinstance(value, list | tuple):
        return format_texts([format_value(one) for one in value])
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)


def help_text(field: SettingField) -> str:
    """A setting's help, its limits, and whether a change acts during a run."""
    limits = f" ({field.limits})" if field.limits else ""
    effect = " Also takes effect during a run." if field.effect == "now" else ""
    return f"{field.help}{limits}{effect}"


def _make_editor(field: SettingField) -> QCheckBox | QComboBox | QLineEdit | None:
    if field.kind == "group":
        return _check_box(field) if field.nullable or field.allows_auto else None
    if field.kind == "bool":
        return _check_box(field)
    if field.kind == "choice":
        combo = NoWheelComboBox()
        combo.ignore_text_width()
        combo.addItems([AUTO] * field.allows_auto + [NONE] * field.nullable + [str(one) for one in field.choices])
        return combo
    return QLineEdit()


def _check_box(field: SettingField) -> QCheckBox:
    """A check box whose label, which cannot wrap, never widens the form."""
    box = QCheckBox(escape_mnemonics(field.label))
    box.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves Space to Learn, which would take the change back
    box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    return box


def _look_up(values: Any, path: Sequence[str]) -> tuple[bool, Any]:
    for part in path:
        if not isinstance(values, Mapping) or part not in values:
            return False, None
        values = values[part]
    return True, values
