"""Forms made from declared settings."""

from __future__ import annotations

from string import punctuation
from typing import Literal

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from core.config import RunConfig
from core.errors import UserError
from core.plugin import Options, option
from core.settings.fields import run_settings, schema_settings
from core.settings.overriding import change_setting
from gui.option_form import OptionForm, format_value, help_text, parse_field
from plugins.parallel_text import ParallelTextOptions
from tests.gui.conftest import WAIT_MS

CONFIG = RunConfig.model_validate({"dataset": {"plugin": "copy_task"}})


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("training.optimizer.learning_rate", "1e-4", 1e-4),
        ("training.optimizer.betas", "0.9, 0.99", [0.9, 0.99]),
        ("training.max_grad_norm", "none", None),
        ("training.num_threads", "auto", "auto"),
        ("training.num_threads", "2", 2),
        ("training.device", "cuda:1", "cuda:1"),
        ("model.positions", "learned", "learned"),
    ],
)
def test_parses_typed_values(key: str, text: str, value: object) -> None:
    assert parse_field(run_settings()[key], text) == value


@pytest.mark.parametrize("number", [1e-9, 0.1, 0.00012345678, 0.9999999, 2.0, 1_234_567.0, 1e22])
def test_every_number_is_shown_with_all_its_digits(number: float) -> None:
    assert parse_field(run_settings()["training.optimizer.learning_rate"], format_value(number)) == number
    assert parse_field(run_settings()["training.optimizer.betas"], format_value([number, 0.5])) == [number, 0.5]


COLUMNS = {field.key: field for field in schema_settings(ParallelTextOptions.model_json_schema())}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("characters, |", ["characters", "|"]),
        ("characters, :", ["characters", ":"]),
        ("characters, #", ["characters", "#"]),
        ('characters, ","', ["characters", ","]),
        ("characters, ','", ["characters", ","]),
        ('[characters, ";"]', ["characters", ";"]),
        ("characters,", ["characters"]),
        ("1, no, null", ["1", "no", "null"]),
        ('"', ['"']),
        ("", []),
    ],
)
def test_a_list_of_texts_is_typed_without_knowing_yaml(text: str, value: list[str]) -> None:
    assert parse_field(COLUMNS["source_cut"], text) == value


@pytest.mark.parametrize(
    "sign", [*punctuation, " ", "\t", "::", ", ", "a, b", "''", "[x]", "ü", "1", "none", "||", '\\"']
)
def test_every_shown_character_can_be_typed_back(qtbot: QtBot, sign: str) -> None:
    form = OptionForm([COLUMNS["source_cut"]])
    qtbot.addWidget(form)
    editor = form.rows["source_cut"].editor
    assert isinstance(editor, QLineEdit)
    for cuts in (["characters", sign], [sign, "words"], [sign], [sign, sign]):
        form.show_values({"source_cut": cuts})
        assert parse_field(COLUMNS["source_cut"], editor.text()) == cuts, editor.text()


def test_columns_can_be_typed_with_or_without_brackets() -> None:
    assert [parse_field(COLUMNS["source"], text) for text in ("1, 3", "[1, 3]", "2", "1, x")] == [
        *([1, 3], [1, 3], [2], [1, "x"]),
    ]


@pytest.mark.parametrize(
    "key", [key for key, field in run_settings().items() if field.kind not in ("group", "options")]
)
def test_every_default_is_parsed_back_as_formatted(key: str) -> None:
    field = run_settings()[key]
    if not field.required:
        default = list(field.default) if isinstance(field.default, tuple) else field.default
        assert parse_field(field, format_value(field.default)) == default


@pytest.mark.parametrize("key", [key for key, field in run_settings().items() if field.nullable])
def test_the_help_does_not_mention_null(key: str) -> None:
    assert "null" not in help_text(run_settings()[key])


@pytest.mark.parametrize(
    ("key", "typed", "hint"),
    [
        ("training.optimizer.learning_rate", "0,001", " Write decimals with a point: 0.001"),
        ("training.optimizer.learning_rate", "fast", ""),
        ("training.max_steps", "2,000", " Write it without separators: 2000"),
        ("training.max_steps", "1.000.000", " Write it without separators: 1000000"),
        ("training.num_threads", "1 000", " Write it without separators: 1000"),
        ("training.max_steps", "2,00", ""),
        ("training.max_steps", "2.5", ""),
    ],
)
def test_a_decimal_comma_or_separated_thousands_get_a_hint(qtbot: QtBot, key: str, typed: str, hint: str) -> None:
    form = OptionForm([run_settings()[key]])
    qtbot.addWidget(form)
    editor = form.rows[key].editor
    assert isinstance(editor, QLineEdit)
    editor.setText(typed)
    form.rows[key].show_error("expected a number.")
    assert form.rows[key].error_label.text() == f"✗ expected a number.{hint}"


def test_a_group_that_is_off_hides_its_rows(qtbot: QtBot) -> None:
    fields = [field for key, field in run_settings().items() if key.startswith("training.early_stopping")]
    form = OptionForm(fields)
    qtbot.addWidget(form)
    edits: list[tuple[str, object]] = []
    form.edited.connect(lambda key, value: edits.append((key, value)))
    form.show_values(CONFIG.model_dump(mode="json"))
    switch, patience = form.rows["training.early_stopping"], form.rows["training.early_stopping.patience"]
    assert patience.isHidden()
    assert isinstance(switch.editor, QCheckBox)
    switch.editor.click()
    assert edits == [("training.early_stopping", {})]
    form.show_values({"training": {"early_stopping": {"patience": 7}}})
    assert not patience.isHidden()
    assert isinstance(patience.editor, QLineEdit) and patience.editor.text() == "7"


def test_invalid_yaml_is_refused_as_typed() -> None:
    value = parse_field(run_settings()["model.d_model"], "[1")
    with pytest.raises(UserError, match=r"model.d_model: expected a whole number, given '\[1'"):
        change_setting(CONFIG, "model.d_model", value)


def test_the_help_says_which_settings_apply_during_a_run() -> None:
    assert "during a run" in help_text(run_settings()["training.optimizer.learning_rate"])
    assert "during a run" not in help_text(run_settings()["model.d_model"])


def test_a_refused_value_stays_until_errors_are_cleared(qtbot: QtBot) -> None:
    form = OptionForm([run_settings()["model.dropout"]])
    qtbot.addWidget(form)
    values = CONFIG.model_dump(mode="json")
    form.show_values(values)
    editor = form.rows["model.dropout"].editor
    assert isinstance(editor, QLineEdit)
    editor.setText("2")
    form.rows["model.dropout"].show_error("expected less than 1")
    form.show_values(values)
    assert editor.text() == "2"
    form.clear_errors()
    form.show_values(values)
    assert editor.text() == "0.1"


@pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform has no size hints for windows
def test_a_focused_field_shows_values_set_elsewhere(qtbot: QtBot) -> None:
    key = "model.dropout"
    form, other = OptionForm([run_settings()[key]]), change_setting(CONFIG, key, 0.3).model_dump(mode="json")
    qtbot.addWidget(form)
    form.show()
    form.activateWindow()
    editor = form.rows[key].editor
    assert isinstance(editor, QLineEdit)
    editor.setFocus()
    qtbot.waitUntil(editor.hasFocus, timeout=WAIT_MS)
    form.show_values(CONFIG.model_dump(mode="json"))
    assert editor.text() == "0.1"
    editor.clear()
    qtbot.keyClicks(editor, "0.20")
    form.show_values(CONFIG.model_dump(mode="json"))
    assert editor.text() == "0.20"  # not applied yet
    for _ in range(2):
        form.show_values(change_setting(CONFIG, key, 0.2).model_dump(mode="json"))
        assert editor.text() == "0.20"  # as typed
    form.show_values(other)
    assert editor.text() == "0.3"
    qtbot.keyClicks(editor, "5")
    form.clear_errors()
    form.show_values(other)
    assert editor.text() == "0.3"


def test_the_wheel_does_not_change_a_combo_box(qtbot: QtBot) -> None:
    form = OptionForm([run_settings()["training.schedule.name"]])
    qtbot.addWidget(form)
    combo = form.rows["training.schedule.name"].editor
    assert isinstance(combo, QComboBox)
    before, place = combo.currentText(), QPointF(combo.rect().center())
    angle_delta = QPoint(0, -120)
    wheel = QWheelEvent(
        place,
        combo.mapToGlobal(place),
        QPoint(),
        angle_delta,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(combo, wheel)
    assert combo.currentText() == before
    assert not wheel.isAccepted()  # so the drawer scrolls


def test_the_title_of_an_option_is_shown_literally(qtbot: QtBot) -> None:
    form = OptionForm([*schema_settings({"properties": {"both": {"type": "boolean", "title": "Q & A"}}})])
    qtbot.addWidget(form)
    editor = form.rows["both"].editor
    assert isinstance(editor, QCheckBox) and editor.text() == "Q && A"  # a single & would underline a letter
    assert editor.accessibleName() == "Q & A"


class Wordy(Options):
    """Options whose labels have eighty letters, each shown by another kind of row."""

    so_many_letters_are_in_each_of_the_words_of_which_the_sentences_of_a_text_are_made: int = option(1)
    whether_the_letters_of_each_word_are_written_in_capitals_where_a_sentence_begins: bool = option(False)
    how: Literal["in capitals where a sentence begins, and in small letters elsewhere", "as it comes"] = option(
        "as it comes"
    )


def test_long_labels_and_choices_do_not_widen_a_form(qtbot: QtBot) -> None:
    form = OptionForm(schema_settings(Wordy.model_json_schema()))
    qtbot.addWidget(form)
    assert form.minimumSizeHint().width() <= 200
