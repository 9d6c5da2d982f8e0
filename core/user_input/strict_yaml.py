"""Reads untrusted YAML: safely, within bounds, without YAML 1.1's surprises, and with line numbers.

PyYAML on its own reads `1e-3` as a string and `no` as False, takes the last of two equal keys, and succumbs to alias
bombs and to thousands of brackets (each seen). Here `1e-3` is a number and 1e3 a whole one, only true and false are
booleans, duplicate keys and aliases are refused, size and depth are limited. What is written here reads back the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer, ComposerError

from core.at_path import is_dir
from core.errors import UserError
from core.user_input.quoting import format_value

MAX_BYTES = 1_000_000
MAX_DEPTH = 20
_EXACT = 2**53  # below it a float is the whole number that was written
KeyPath = tuple[str | int, ...]


@dataclass(frozen=True)
class Document:
    """Plain Python values read from YAML, and the line (counted from 1) of each key path."""

    name: str
    value: Any
    lines: dict[KeyPath, int]
    overrides: dict[KeyPath, str] = field(default_factory=dict)  # keys set later, and how errors name their source

    def where(self, path: KeyPath) -> str:
        """Where the key, or the nearest one around it, was set: `run.yaml, line 12` or `--set model.d_model=7`."""
        while path and path not in self.lines:
            sources = [name for key, name in self.overrides.items() if key[: len(path)] == path]
            if sources:
                return sources[-1]
            path = path[:-1]
        return f"{self.name}, line {self.lines[path]}" if path else self.name


class _Bounded:
    """Refuses aliases and deep nesting while a loader parses, so that neither can exhaust memory or the stack."""

    _document: str
    _depth = 0

    def get_event(self) -> yaml.Event:
        event: yaml.Event = super().get_event()  # type: ignore[misc]
        line = event.start_mark.line + 1 if event.start_mark else 1
        if getattr(event, "anchor", None):  # an alias has one, too
            raise UserError(f"{self._document}, line {line}: aliases (& and *) are not supported; write the value out.")
        self._depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if self._depth > MAX_DEPTH:
            raise UserError(f"{self._document}, line {line}: nested deeper than {MAX_DEPTH} levels.")
        return event


class _Loader(_Bounded, yaml.SafeLoader):
    """SafeLoader with YAML 1.2's booleans and numbers, and no dates."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self._document = name


_CSafeLoader: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else object


class _FastLoader(_Bounded, Composer, _CSafeLoader):  # type: ignore[misc]
    """`_Loader` with the parser of libyaml, without which PyYAML may have been built: it takes a fifth of the time.

    It accepts more, such as tabs, and says less about what is wrong.
    """

    def __init__(self, text: str, name: str) -> None:
        Composer.__init__(self)
        _CSafeLoader.__init__(self, text)
        self._document = name


class _Dumper(yaml.SafeDumper):
    """SafeDumper that quotes strings which `_Loader` would read as numbers: 1e-3, 08."""


def _represent_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    """U+0085 is a line break in YAML, which quotes fold to a space unless it is escaped."""
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if "\x85" in text else None)


_Dumper.add_representer(str, _represent_text)

_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", "~nN\0"),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        "-+.0123456789",
    ),
):
    characters = [*_first.replace("\0", ""), *([""] if "\0" in _first else [])]
    for _class in (_Loader, _Dumper):
        _class.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), characters)


def _to_int(loader: _Loader, node: yaml.ScalarNode) -> int:
    return int(str(loader.construct_scalar(node)))


def _to_float(loader: _Loader, node: yaml.ScalarNode) -> float | int:
    """Read 1e3 and 2.5e4 as whole numbers, which are valid floats too; 1000.0 stays a float."""
    text = str(loader.construct_scalar(node)).lower()
    value = float(re.sub(r"\.(?=[in])", "", text))
    return int(value) if "e" in text and value.is_integer() and abs(value) < _EXACT else value


# Only tags whose values JSON has are read; None's constructor refuses the others, !!binary and !!timestamp among them.
_ALLOWED_TAGS = (*(f"tag:yaml.org,2002:{name}" for name in ("bool", "null", "str")), None)
_Loader.yaml_constructors = {tag: make for tag, make in _Loader.yaml_constructors.items() if tag in _ALLOWED_TAGS}

# YAML 1.1 reads 010 as eight and 1:30 as ninety; a person who types them means neither.
_Loader.add_constructor("tag:yaml.org,2002:int", _to_int)
_Loader.add_constructor("tag:yaml.org,2002:float", _to_float)

_FastLoader.yaml_implicit_resolvers = _Loader.yaml_implicit_resolvers
_FastLoader.yaml_constructors = _Loader.yaml_constructors


def dotted(path: KeyPath) -> str:
    """`training.optimizer.betas`, on one line whatever the keys hold."""
    return ".".join(str(part) if str(part).isprintable() else repr(part) for part in path)


def write_yaml(value: Any) -> str:
    """YAML that `read_yaml` reads back equal."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True)


def read_yaml_file(path: Path) -> Document:
    """Read one YAML file. Raises UserError naming the file, the line and what was expected."""
    try:
        if is_dir(path):
            raise UserError(f"{path}: expected a YAML file, given a folder.")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)  # a pipe or a device has no size to check
    except FileNotFoundError:
        raise UserError(
            f"{path}: no such file.", "Check the path, or name a preset: `presets list` shows them."
        ) from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}).", "Make it readable, or name another.") from error
    if len(data) > MAX_BYTES:
        raise UserError(f"{path}: larger than {MAX_BYTES:,} bytes; expected a run's settings in YAML.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = 1 + data.count(b"\n", 0, error.start)
        raise UserError(
            f"{path}, line {line}: byte 0x{data[error.start]:02x} is not UTF-8; expected a run's settings in YAML.",
            "Save the file as UTF-8.",
        ) from None
    return read_yaml(text, str(path))


def read_yaml(text: str, name: str) -> Document:
    """Read YAML text; errors give `name` as its source."""
    try:
        return _document(_Loader, text, name)
    except yaml.YAMLError as error:
        raise UserError(_sentence(error, name)) from None


def read_written_yaml(text: str, name: str) -> Document:
    """Read what `write_yaml` wrote, faster than `read_yaml`, whose errors it raises where the text is not YAML."""
    if not yaml.__with_libyaml__:
        return read_yaml(text, name)
    try:
        return _document(_FastLoader, text, name)
    except yaml.YAMLError:
        return read_yaml(text, name)


def _document(loader_class: type[_Loader | _FastLoader], text: str, name: str) -> Document:
    if len(text) > MAX_BYTES:
        raise UserError(f"{name}: larger than {MAX_BYTES:,} characters; expected a run's settings in YAML.")
    loader = loader_class(text, name)
    try:
        node = _compose(loader, name)
        if node is None:
            raise UserError(f"{name}: is empty; expected a run's settings in YAML.")
        lines: dict[KeyPath, int] = {}
        return Document(name, _construct(loader, node, (), name, lines), lines)
    finally:
        loader.dispose()


def _compose(loader: _Loader, name: str) -> yaml.Node | None:
    try:
        return loader.get_single_node()
    except (ValueError, OverflowError):  # from chr(), for "\UFFFFFFFF"
        line = loader.line + 1
        raise UserError(f"{name}, line {line}: this is not YAML (an escape that names no character).") from None


def _construct(loader: _Loader, node: yaml.Node, path: KeyPath, name: str, lines: dict[KeyPath, int]) -> Any:
    if isinstance(node, yaml.MappingNode) and node.tag == loader.DEFAULT_MAPPING_TAG:
        return _construct_mapping(loader, node, path, name, lines)
    if isinstance(node, yaml.SequenceNode) and node.tag == loader.DEFAULT_SEQUENCE_TAG:
        return [_construct(loader, child, (*path, index), name, lines) for index, child in enumerate(node.value)]
    try:
        value = loader.construct_object(node)
        str(value).encode()  # no file of a run can hold "\ud800", half a surrogate pair
        return value
    except (ValueError, KeyError):  # KeyError: !!bool foo
        raise UserError(
            f"{name}, line {node.start_mark.line + 1}: {format_value(node.value)} cannot be read as a value."
        ) from None


def _construct_mapping(
    loader: _Loader, node: yaml.MappingNode, path: KeyPath, name: str, lines: dict[KeyPath, int]
) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise UserError(f"{name}, line {line}: expected a name before the colon.")
        key = str(key_node.value)
        if key in result:
            first = lines[(*path, key)]
            raise UserError(f"{name}, line {line}: {dotted((*path, key))} is given twice (first on line {first}).")
        lines[(*path, key)] = line
        result[key] = _construct(loader, value_node, (*path, key), name, lines)
    return result


def _sentence(error: yaml.YAMLError, name: str) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        where = f"{name}, line {error.problem_mark.line + 1}"
        if isinstance(error, ComposerError):  # its errors about aliases cannot come: these are refused before
            return f"{where}: a second document begins here; expected one."
        advice = " Indent with spaces instead of tabs." if r"'\t'" in str(error.problem) else ""
        return f"{where}: this is not YAML ({error.problem}).{advice}"
    return f"{name}: this is not YAML text ({str(error).splitlines()[0]})."
