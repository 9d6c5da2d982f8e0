"""Edits that may fit only together: 5 heads divide no d_model but the one that is typed next."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.errors import UserError
from core.settings.fields import OPTIONS, run_settings


def what_fits(
    edits: Mapping[str, object], check: Callable[[Mapping[str, object]], object]
) -> tuple[dict[str, object], dict[str, str]]:
    """All edits where `check` lets them pass together, or else each that passes; and why the others do not, by key.

    `check` raises UserError.
    """
    try:
        check(edits)
    except UserError:
        return _one_by_one(edits, check)
    return dict(edits), {}


def beside(key: str, sentence: str) -> str:
    """An error as it stands beside the field of `key`: without that key, but with the label of another's field."""
    at, separator, words = sentence.partition(": ")
    if not separator or at.startswith(key) or at == OPTIONS:
        return words or sentence
    field = run_settings().get(at)
    return f"{field.label if field else at}: {words}"


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
