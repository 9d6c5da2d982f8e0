"""Writes values and limits as users read and write them. Needs no YAML, which the plugin process does not load."""

from __future__ import annotations

from typing import Any

from pydantic_core import ErrorDetails

MAX_VALUE_LENGTH = 60


def format_value(value: Any) -> str:
    """A value as errors quote it: on one line, with YAML's true, false and null, cut if it is long."""
    text = _text_of(value)
    return text if len(text) <= MAX_VALUE_LENGTH else text[: MAX_VALUE_LENGTH - 3] + "..."


def format_bound(bound: float) -> str:
    """A limit of a number, as the reference page, the forms and errors write it: 1,000,000 or 1e-08."""
    return f"{bound:,}" if isinstance(bound, int) else f"{bound:,.10g}"


def quoted_hint(error: ErrorDetails) -> str:
    """What to do where a text was expected and YAML has read an unquoted 5 or true; otherwise empty."""
    is_scalar = isinstance(error["input"], int | float)
    return "; in quotes it is a text" if error["type"] == "string_type" and is_scalar else ""


def _text_of(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_text_of, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_text_of(one)}' for key, one in value.items())}}}"
    return {"True": "true", "False": "false", "None": "null"}.get(repr(value), repr(value))
