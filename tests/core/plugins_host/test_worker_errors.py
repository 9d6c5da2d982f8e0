"""Sentences for exceptions and wrong options in the plugin process."""

import sys
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import ValidationError

from core.plugin import BadData, Options, option
from core.plugins_host.worker_errors import expectation, options_error, worker_error


class ManyOptions(Options):
    count: int = option(5, ge=1, le=2000)
    least: int = option(5, ge=1)
    most: float = option(0.5, le=2.5)
    free: float = option(0.5)
    corpus: Literal["grammar", "sentences"] = option("grammar")
    shuffled: bool = option(True)
    alphabet: str = option("abc")
    columns: list[int] | int = option([1])
    cuts: list[str] = option([])

    def check(self) -> None:
        if self.count == 13:
            raise ValueError("13 brings\nbad luck")
        if self.count == 14:
            raise ValueError
        if self.count == 15:
            raise ValueError("least: expected less than count, given 15")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"count": 0}, "dataset.options.count: expected a whole number from 1 to 2000, given 0"),
        ({"least": 0.5}, "dataset.options.least: expected a whole number of at least 1, given 0.5"),
        ({"most": 3}, "dataset.options.most: expected a number of at most 2.5, given 3"),
        ({"free": "1e-3"}, "dataset.options.free: expected a number, given '1e-3'"),
        ({"corpus": "x"}, "dataset.options.corpus: expected 'grammar' or 'sentences', given 'x'"),
        ({"shuffled": "no"}, "dataset.options.shuffled: expected true or false, given 'no'"),
        (
            {"alphabet": None},
            "dataset.options.alphabet: expected a text, given null; leave the key out for its default",
        ),
        ({"alphabet": 5}, "dataset.options.alphabet: expected a text, given 5; in quotes it is a text"),
        ({"count": True}, "dataset.options.count: expected a whole number from 1 to 2000, given true"),
        (
            {"columns": [None]},
            "dataset.options.columns: expected a list of whole numbers such as [1, 3] or a whole number, given null",
        ),
        (
            {"columns": "1, x"},
            "dataset.options.columns: expected a list of whole numbers such as [1, 3] or a whole number, given '1, x'",
        ),
        (
            {"columns": [1, "x"]},
            "dataset.options.columns: expected a list of whole numbers such as [1, 3] or a whole number, given 'x'",
        ),
        ({"cuts": "|"}, "dataset.options.cuts: expected a list of texts such as [characters, words], given '|'"),
        (
            {"cuts": [";", 1]},
            "dataset.options.cuts: expected a list of texts such as [characters, words], given 1; in quotes it is "
            "a text",
        ),
        ({"cuont": 1}, "dataset.options.cuont: unknown key; did you mean 'count'?"),
        ({"count": 13}, "dataset.options: 13 brings bad luck"),
        ({"count": 15}, "dataset.options.least: expected less than count, given 15"),
        ({"count": 14}, "dataset.options: check() refuses them without a sentence"),
        ({"alphabet": 7, "count": "x"}, "dataset.options.count: expected a whole number from 1 to 2000, given 'x'"),
    ],
)
def test_the_first_wrong_option_is_reported_in_one_line(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError) as exc_info:
        ManyOptions(**options)
    error = options_error(exc_info.value, ManyOptions)
    assert error.record["sentence"] == sentence and error.record["kind"] == "options"


def test_a_plugin_without_options_says_so() -> None:
    with pytest.raises(ValidationError) as exc_info:
        Options(length=3)  # type: ignore[call-arg]
    assert "this dataset has no options" in str(options_error(exc_info.value, Options))


def test_every_declared_type_is_described() -> None:
    for schema in ManyOptions.model_json_schema()["properties"].values():
        assert "valid value" not in expectation(schema)


def test_an_exception_is_reported_in_one_line_at_the_plugins_innermost_line() -> None:
    try:
        int("x")
    except ValueError as error:
        line = sys._getframe().f_lineno - 2
        assert worker_error(error, __file__).record == {
            "sentence": "ValueError: invalid literal for int() with base 10: 'x'", "file": __file__, "line": line,
            "kind": "plugin", "remedy": "Fix it",
        }  # fmt: skip
    assert worker_error(KeyError("a\nb"), "x.py").record["line"] == 0
    assert "\n" not in str(worker_error(RuntimeError("first\nsecond"), "x.py"))


def test_an_authors_message_to_users_is_reported_in_full() -> None:
    message = "line 1 is wrong:\n  expected an object\n\n  got a list"
    assert str(worker_error(BadData(message), __file__)) == "line 1 is wrong: expected an object got a list"
    try:
        raise ValueError(message)
    except ValueError as error:
        reported = worker_error(error, __file__)
    assert reported.record["kind"] == "refused"
    assert str(reported) == "ValueError: line 1 is wrong: expected an object got a list"


def test_a_refusal_may_be_on_the_line_of_its_condition() -> None:
    text = "raise it"
    for kind in ("refused", "plugin"):
        try:
            if kind == "refused": raise ValueError("too short")  # fmt: skip # noqa: E701
            int(text) if text.startswith("raise ") else None
        except ValueError as error:
            assert worker_error(error, __file__).record["kind"] == kind


def test_the_current_folder_is_not_beside_an_installed_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "words_data").mkdir()
    monkeypatch.chdir(tmp_path)
    missing = ModuleNotFoundError("No module named 'words_data'", name="words_data")
    assert worker_error(missing, "", ["their_module.py"]).record["remedy"].startswith("Import core.plugin and the")
    assert worker_error(missing, str(tmp_path / "a.py")).record["remedy"].startswith("Put that code into the plugin")
