"""Turns pydantic's first finding into one sentence with key, expectation and what was given."""

from __future__ import annotations

import difflib
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from core.strict_yaml import KeyPath

_EXPECTED = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "string_type": "a text",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "dict_type": "settings as `key: value` lines",
    "model_type": "settings as `key: value` lines",
    "model_attributes_type": "settings as `key: value` lines",
    "finite_number": "a finite number",
}


def first_error(error: ValidationError, model: type[BaseModel]) -> tuple[KeyPath, str]:
    """Key path and sentence of the first finding: `model.num_heads: expected a whole number, given 'four'.`"""
    findings = error.errors(include_url=False)
    found = next(
        (one for one in findings if one["type"] != "literal_error" or "auto" not in str(one["ctx"])), findings[0]
    )
    path = tuple(part for part in found["loc"] if not _names_a_union_branch(part))
    dotted = ".".join(map(str, path))
    if found["type"] == "value_error":  # our own validators begin with the key's name
        key, _, rest = str(found["ctx"]["error"]).partition(": ")
        return (*path, key), f"{'.'.join(map(str, (*path, key)))}: {rest}."
    return path, f"{dotted}: {_sentence(found, path, model)}."


def _names_a_union_branch(part: str | int) -> bool:
    return isinstance(part, str) and (part in ("int", "float", "constrained-int", "TokenizerConfig") or "[" in part)


def _sentence(found: Any, path: KeyPath, model: type[BaseModel]) -> str:
    kind, context, given = found["type"], found.get("ctx", {}), found["input"]
    if kind == "extra_forbidden":
        return "unknown key" + _nearest(path, model)
    if kind == "missing":
        return "this key is missing"
    return f"expected {_expectation(kind, context, found)}, given {_shown(given)}"


def _expectation(kind: str, context: dict[str, Any], found: Any) -> str:
    bounds = {
        "greater_than_equal": ("at least", "ge"),
        "less_than_equal": ("at most", "le"),
        "greater_than": ("more than", "gt"),
        "less_than": ("less than", "lt"),
    }
    if kind in bounds:
        words, name = bounds[kind]
        return f"{words} {context[name]:,}" if isinstance(context[name], int) else f"{words} {context[name]:g}"
    if kind == "literal_error":
        return str(context["expected"]).replace("'", "")
    return _EXPECTED.get(kind, str(found["msg"]).removeprefix("Input should be ").removeprefix("String should "))


def _shown(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 60 else text[:57] + "..."


def _nearest(path: KeyPath, model: type[BaseModel]) -> str:
    known = list(_group(path[:-1], model).model_fields)
    close = difflib.get_close_matches(str(path[-1]), known, n=1)
    return f"; did you mean {close[0]}?" if close else f"; known here: {', '.join(known)}"


def _group(path: KeyPath, model: type[BaseModel]) -> type[BaseModel]:
    for part in path:
        annotation = model.model_fields[str(part)].annotation
        candidates = [annotation, *get_args(annotation)]
        model = next(one for one in candidates if isinstance(one, type) and issubclass(one, BaseModel))
    return model
