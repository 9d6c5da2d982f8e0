"""Applies edits that may be valid only together: 5 heads need a d_model they divide, which is typed next."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.errors import UserError
from core.settings.fields import OPTIONS, run_settings


def split_valid_edits(
    edits: Mapping[str, object], check: Callable[[Mapping[str, object]], object]
) -> tuple[dict[str, object], dict[str, str]]:
    """All edits if `check` accepts them together, else those it accepts one by one; and why each other was refused.

    `check` raises UserError for what it refuses. Both results are by key.
    """
    try:
        check(edits)
    except UserError:
        return _one_by_one(edits, check)
    return dict(edits), {}


def field_error(key: str, sentence: str) -> str:
    """An error message as shown beside the field of `key`: without that key, or with the label of the other field."""
    at, separator, words = sentence.partition(": ")
    if not separator or f"{at}.".startswith(f"{key}.") or at == OPTIONS:
        return words or sentence
    field = run_settings().get(at)
    return f"{field.label if field else at.removeprefix(f'{OPTIONS}.')}: {words}"


def _one_by_one(
    edits: Mapping[str, object], check: Callable[[Mapping[str, object]], object]
) -> tuple[dict[str, object], dict[str, str]]:
    fitting: dict[str, object] = {}
    refused: dict[str, str] = {}
    for key, value in edits.items():
        try:
            check({**fitting, key: value})
        except UserError as error:
            refused[key] = error.sentence
        else:
            fitting[key] = value
    return fitting, refused
