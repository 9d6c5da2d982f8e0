"""Turns the first of pydantic's errors into one sentence: the key, what was expected and what was given."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from core.user_input.quoting import format_bound, format_value, quoted_hint
from core.user_input.strict_yaml import Document, KeyPath, dotted

_EXPECTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "a text",
    "bool_type": "true or false",
    "dict_type": "settings as `key: value` lines",
    "model_type": "settings as `key: value` lines",
    "finite_number": "a finite number",
    "string_too_short": "a text that is not empty",
}
_BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "less_than_equal": ("at most", "le"),
    "greater_than": ("more than", "gt"),
    "less_than": ("less than", "lt"),
}


@dataclass(frozen=True)
class _ErrorLocation:
    """Where an error is: the key path in the file, the group around its last key, and that key's declaration."""

    path: KeyPath
    group: type[BaseModel]
    field: FieldInfo | None  # None for an undeclared key
    indexes: KeyPath = ()  # where inside the key's value, for a list


def first_message(error: ValidationError) -> str:
    """The first error in pydantic's own words, for files that no person writes."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def first_error(
    error: ValidationError, model: type[BaseModel], document: Document | None = None
) -> tuple[KeyPath, str]:
    """Key path and sentence of the first error: `model.num_heads: expected a whole number, given 'four'.`

    This is the first error in the document, or in declaration order without one. If a `--set` broke a rule between two
    keys, the path is that of its key, although the sentence may begin with the other key.
    """
    found, or_auto = _most_specific(_in_document_order(error.errors(include_url=False), model, document))
    where = _locate(found["loc"], model)
    if found["type"] == "value_error":
        key, rest = _broken_rule(found)
        path = (*where.path, key)
        return _blamed_path(path, rest, document), f"{dotted(path)}: {rest}."
    if found["type"] == "extra_forbidden":
        return where.path, f"{dotted(where.path)}: unknown key; {_suggestion(str(where.path[-1]), where.group, model)}"
    if found["type"] == "missing" and not where.indexes:
        return where.path, f"{dotted(where.path)}: this key is missing."
    words = _declared_words(where, found["type"])
    path = where.path if words else where.path + where.indexes
    given = f"{format_value(found['input'])}{quoted_hint(found)}"
    return path, f"{dotted(path)}: expected {or_auto}{words or _expectation(found)}, given {given}."


def _in_document_order(
    findings: list[ErrorDetails], model: type[BaseModel], document: Document | None
) -> list[ErrorDetails]:
    """Sorted as in the document, then by overrides; errors about keys in neither, such as missing ones, come last."""
    if document is None:
        return findings
    positions = {path: position for position, path in enumerate([*document.lines, *document.overrides])}

    def position(found: ErrorDetails) -> int:
        path = _locate(found["loc"], model).path
        if found["type"] == "value_error":
            path = (*path, _broken_rule(found)[0])
        while path and path not in positions:
            path = path[:-1]
        return positions.get(path, len(positions))

    return sorted(findings, key=position)


def _broken_rule(found: ErrorDetails) -> tuple[str, str]:
    """The key that the message of our own validators begins with, and the rest of the message."""
    key, _, rest = str(found["ctx"]["error"]).partition(": ")
    return key, rest


def _blamed_path(path: KeyPath, rest: str, document: Document | None) -> KeyPath:
    """The overridden key of a broken rule, whose message begins with `path` and goes on with `rest`; else `path`."""
    later = document.overrides if document else {}
    named = (other for other in later if other[:-1] == path[:-1] and other[-1] in re.findall(r"\w+", rest))
    return path if path in later else next(named, path)


def _most_specific(findings: list[ErrorDetails]) -> tuple[ErrorDetails, str]:
    """The error to report, and "auto or " if `auto` is allowed in its place.

    It is the first one, but in a union such as "auto or a whole number" both branches report, and the second says more.
    If the second branch is a group, one of its keys may be such a union itself.
    """
    first, *rest = findings
    location = first["loc"][:-1]
    below = [one for one in rest if one["loc"][: len(location)] == location]
    if not _is_auto_branch(first) or not below:
        return first, ""
    other, or_auto = _most_specific(below)
    return other, "auto or " if len(other["loc"]) == len(first["loc"]) else or_auto


def _is_auto_branch(found: ErrorDetails) -> bool:
    return found["type"] == "literal_error" and found["ctx"]["expected"] == "'auto'"


def _locate(location: KeyPath, model: type[BaseModel]) -> _ErrorLocation:
    """Find the place of pydantic's location, which has the names of union branches between the keys."""
    where = _ErrorLocation((), model, None)
    below: type[BaseModel] | None = model
    rest = list(location)
    while rest and below is not None:
        key = rest.pop(0)
        field = below.model_fields.get(str(key))
        where = _ErrorLocation((*where.path, key), below, field)
        below = _group_of(field) if field else None
        if below is not None and rest and _is_branch(rest[0], below):
            rest.pop(0)
    return _ErrorLocation(where.path, where.group, where.field, tuple(part for part in rest if isinstance(part, int)))


def _is_branch(part: int | str, group: type[BaseModel]) -> bool:
    """Whether `part` names a branch and not a key: `TokenizerConfig`, `function-after[_fits(), TokenizerConfig]`."""
    return str(part).removesuffix("]").endswith(group.__name__)


def _group_of(field: FieldInfo) -> type[BaseModel] | None:
    candidates = [field.annotation, *get_args(field.annotation)]
    return next((one for one in candidates if isinstance(one, type) and issubclass(one, BaseModel)), None)


def _declared_paths(group: type[BaseModel], path: KeyPath = ()) -> Iterator[KeyPath]:
    for name, field in group.model_fields.items():
        yield (*path, name)
        below = _group_of(field)
        if below is not None:
            yield from _declared_paths(below, (*path, name))


def _declared_words(where: _ErrorLocation, kind: str) -> str | None:
    extra = where.field.json_schema_extra if where.field else None
    whole_value = not where.indexes or kind in ("missing", "too_long")
    return str(extra["expected"]) if isinstance(extra, dict) and "expected" in extra and whole_value else None


def _expectation(found: ErrorDetails) -> str:
    kind, context = found["type"], found.get("ctx", {})
    if kind in _BOUNDS:
        words, name = _BOUNDS[kind]
        return f"{words} {format_bound(context[name])}"
    if kind == "literal_error":
        return str(context["expected"]).replace("'", "")
    return _EXPECTED.get(kind, str(found["msg"]).removeprefix("Input should be ").removeprefix("String should "))


def _suggestion(key: str, group: type[BaseModel], model: type[BaseModel]) -> str:
    """The key of that name in another group; else the nearest one in this group, or all that it has."""
    elsewhere = [dotted(path) for path in _declared_paths(model) if path[-1] == key]
    if elsewhere:
        return f"did you mean {' or '.join(elsewhere)}?"
    close = difflib.get_close_matches(key, group.model_fields, n=1)
    return f"did you mean {close[0]}?" if close else f"known here: {', '.join(group.model_fields)}."
