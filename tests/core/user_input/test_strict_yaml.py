"""Reading untrusted YAML: safe, of limited size, without surprising types, and with the line in every error."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.config import config_to_yaml
from core.errors import UserError
from core.settings.presets import preset_names, read_preset
from core.user_input import strict_yaml
from core.user_input.strict_yaml import (
    MAX_BYTES,
    MAX_DEPTH,
    KeyPath,
    dotted,
    read_written_yaml,
    read_yaml,
    read_yaml_file,
    write_yaml,
)

STRANGE = {
    "a long name with: colons": "word " * 60,
    "lines": "\n one\ntwo \n\n",
    "characters": "\t\x85\u2028\ufeff∫😀\x07 # '\"",
    "lists": [[], [[1, -0.5], {}], ["- a", "? b", "no", "1e3", "08", " ", "", None, True]],
    "numbers": [1e-300, 1e22, 2**70, -math.inf],
}


def value(text: str) -> Any:
    return read_yaml(f"key: {text}", "x").value["key"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *[("1e-4", 1e-4), ("1e3", 1000), ("-.5", -0.5), ("010", 10), ("+3", 3), ("1.", 1.0)],
        *[("true", True), ("False", False), ("null", None), ("~", None), ("", None)],
        *[("no", "no"), ("yes", "yes"), ("on", "on"), ("off", "off"), ("y", "y")],
        *[("2026-01-01", "2026-01-01"), ("1:30", "1:30"), ("0x10", "0x10"), ("1_000", "1_000"), ("'7'", "7")],
        *[(".inf", math.inf), ("-.Inf", -math.inf), ("<<", "<<"), ("[1, no]", [1, "no"])],
    ],
)
def test_values_have_the_type_a_person_expects(text: str, expected: object) -> None:
    assert value(text) == expected
    assert type(value(text)) is type(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *[("2.5e4", 25_000), ("+1E+3", 1000), ("-12e1", -120), ("1500e-2", 15), ("0e0", 0)],
        *[("1.5e0", 1.5), ("1000.0", 1000.0), ("5e-1", 0.5), ("1e400", math.inf), ("1e300", 1e300)],
        *[("-1e300", -1e300), (f"{2**53 + 1}e0", float(2**53)), (f"{2**53 - 1}e0", 2**53 - 1)],
    ],
)
def test_a_whole_number_in_scientific_notation_is_an_int(text: str, expected: float) -> None:
    assert value(text) == expected
    assert type(value(text)) is type(expected)


@pytest.mark.parametrize(
    "written",
    [
        *["1e3", "+1E3", "1e-3", "08", "-09", ".5", "1_000", "0x10", "1:30", "no", ""],
        *["a\x85b", "\x85 \u2028'\\", 10, 1e3, 1e-3, 1e17, -0.5],
    ],
)
def test_written_values_are_read_back_unchanged(written: str | float) -> None:
    read = read_yaml(write_yaml({"key": [written], "other": written}), "x").value
    assert read == {"key": [written], "other": written}
    assert type(read["other"]) is type(written)


def test_what_is_written_is_plain_and_keeps_its_order() -> None:
    assert write_yaml({"z": "ü", "a": [1, True]}) == "z: ü\na:\n- 1\n- true\n"


@pytest.mark.parametrize("name", ["strange", "typed", *preset_names()])
def test_what_was_written_is_read_alike_and_faster_by_libyaml(name: str) -> None:
    known = {"strange": write_yaml(STRANGE), "typed": "a: no\nb: [1e3, 1e-3, 010, 0x10]\n3: 1:30\nd: 2026-01-01\n"}
    text = known.get(name) or config_to_yaml(read_preset(name))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strict_yaml, "_Loader", None)  # which reads what people write
        fast = read_written_yaml(text, "x")
    assert fast == read_yaml(text, "x")
    assert repr(fast.value) == repr(read_yaml(text, "x").value)  # of the same types


@pytest.mark.parametrize(
    "text",
    [
        "a: &b 1",
        "a: " + "[" * 50,
        "- " * 50,
        "a: 1\na: 2",
        "a: [1",
        "",
        "a: !!binary aa",
        pytest.param("\n" * 2**20, id="long"),
    ],
)
def test_what_was_changed_since_it_was_written_is_refused_alike(text: str) -> None:
    with pytest.raises(UserError) as fast:
        read_written_yaml(text, "x")
    with pytest.raises(UserError) as slow:
        read_yaml(text, "x")
    assert str(fast.value) == str(slow.value)


def test_without_libyaml_the_same_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yaml.__with_libyaml__", False)
    monkeypatch.setattr(strict_yaml, "_FastLoader", None)
    assert read_written_yaml("a: [1e-3]", "x").value == {"a": [1e-3]}


def test_nan_is_read_as_a_float() -> None:
    assert math.isnan(value(".nan"))


def test_keys_are_always_strings() -> None:
    assert read_yaml("no: 1\n3: 2\nnull: 3", "x").value == {"no": 1, "3": 2, "null": 3}


def test_lines_are_known_for_every_key() -> None:
    document = read_yaml("a: 1\nb:\n  c: 2\n  d: {e: 3}\n", "run.yaml")
    assert document.where(("b", "d", "e")) == "run.yaml, line 4"
    assert document.where(("b", "missing")) == "run.yaml, line 2"
    assert document.where(("missing",)) == "run.yaml"
    overrides: dict[KeyPath, str] = {("f", "g"): "--set f.g=5", ("f", "h"): "--set f.h=6", ("i", "j"): "--set i.j=7"}
    assert replace(document, overrides=overrides).where(("f",)) == "--set f.h=6"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "x: is empty; expected a run's settings in YAML."),
        ("# nothing\n", "x: is empty; expected a run's settings in YAML."),
        ("a: 1\nb: *c", "x, line 2: aliases (& and *) are not supported; write the value out."),
        ("a: 1\nb: 2\na: 3", "x, line 3: a is given twice (first on line 1)."),
        ("b:\n  a: 1\n  a: 3", "x, line 3: b.a is given twice (first on line 2)."),
        ("a: 1\nb: &c 1\nd: *c", "x, line 2: aliases (& and *) are not supported; write the value out."),
        ("[" * 20_000, "x, line 1: nested deeper than 20 levels."),
        ("a: " + "{a: " * 20_000, "x, line 1: nested deeper than 20 levels."),
        ("a: [1", "x, line 1: this is not YAML (expected ',' or ']', but got '<stream end>')."),
        ("---\na: 1\n---\nb: 1", "x, line 3: a second document begins here; expected one."),
        (
            "a:\n\tb: 1",
            r"x, line 2: this is not YAML (found character '\t' that cannot start any token)."
            " Indent with spaces instead of tabs.",
        ),
        ("? [1, 2]\n: 3", "x, line 1: expected a name before the colon."),
        ("a: !!int foo", "x, line 1: 'foo' cannot be read as a value."),
        ("a: !!bool foo", "x, line 1: 'foo' cannot be read as a value."),
        ('a: 1\nb: ["\\ud800"]', "x, line 2: '\\ud800' cannot be read as a value."),
        ("a: !!timestamp foo", None),
        ("a: !!timestamp 2026-01-01", None),
        ("a: !!binary aGVsbG8=", None),
        ("a: !!set foo", None),
        ('b: 1\na: "\\UFFFFFFFF"', "x, line 2: this is not YAML (an escape that names no character)."),
        ('a: "\\U00110000"', "x, line 1: this is not YAML (an escape that names no character)."),
        ("a: !!python/name:os.system x", None),
        ("a: !!python/object/apply:os.getcwd 3", None),
        ("a: !!python/object/apply:os.getcwd [3]", None),
        ("a: !!set {b, c}", None),
        ("!!omap {a: 1}", None),
        ("\x01", "x: this is not YAML text (unacceptable character #x0001: special characters are not allowed)."),
        (
            f"a: {'9' * 5000}",
            "x, line 1: '99999999999999999999999999999999999999999999999999999999... cannot be read as a value.",
        ),
        ("a" * (MAX_BYTES + 1), "x: larger than 1,000,000 characters; expected a run's settings in YAML."),
    ],
)
def test_invalid_yaml_is_refused(text: str, sentence: str | None) -> None:
    with pytest.raises(UserError) as exc_info:
        read_yaml(text, "x")
    unknown_tag = "x, line 1: this is not YAML (could not determine a constructor"
    assert str(exc_info.value) == sentence or (sentence is None and str(exc_info.value).startswith(unknown_tag))
    assert "\n" not in str(exc_info.value)


def test_only_depth_is_limited_and_not_the_number_of_lists() -> None:
    nested = "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)  # in the mapping of `value`
    assert len(value(f"[{'[], ' * 50}]")) == 50 and value(nested)
    with pytest.raises(UserError, match="nested deeper than 20 levels"):
        value(f"[{nested}]")


def test_an_alias_bomb_is_refused_without_expanding_it() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 100))
    with pytest.raises(UserError, match="aliases"):
        read_yaml(bomb, "x")


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(bytes(range(256)))
    huge = tmp_path / "huge.yaml"
    huge.write_bytes(b" " * (MAX_BYTES + 1))
    for path, sentence in [
        (tmp_path, f"{tmp_path}: expected a YAML file, given a folder."),
        (tmp_path / "none.yaml", f"{tmp_path / 'none.yaml'}: no such file."),
        (binary, f"{binary}, line 2: byte 0x80 is not UTF-8; expected a run's settings in YAML."),
        (huge, f"{huge}: larger than 1,000,000 bytes; expected a run's settings in YAML."),
        (tmp_path / ("x" * 300), f"{tmp_path / ('x' * 300)}: cannot be read (File name too long)."),
    ]:
        with pytest.raises(UserError) as exc_info:
            read_yaml_file(path)
        assert exc_info.value.sentence == sentence
    assert exc_info.value.advice == "Make it readable, or name another."


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_an_endless_file_is_read_only_to_the_size_limit() -> None:
    with pytest.raises(UserError, match="/dev/zero: larger than 1,000,000 bytes"):
        read_yaml_file(Path("/dev/zero"))


def test_a_byte_order_mark_is_not_part_of_the_first_key(tmp_path: Path) -> None:
    file = tmp_path / "bom.yaml"
    file.write_text("a: ü", encoding="utf-8-sig")
    assert read_yaml_file(file).value == {"a": "ü"}


def test_keys_in_errors_stay_on_one_line() -> None:
    assert dotted(("a", 1, "b\nc")) == r"a.1.'b\nc'"
