"""Edits validated together, and errors as shown beside a field."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from core.errors import UserError
from gui.edit_validation import field_error, split_valid_edits


def check_heads_divide(values: Mapping[str, object]) -> None:
    """Validate the edits of a model whose d_model is 16 and num_heads 2 otherwise."""
    d_model, num_heads = values.get("d_model", 16), values.get("num_heads", 2)
    if not isinstance(d_model, int) or not isinstance(num_heads, int):
        raise UserError("expected a whole number")
    if d_model % num_heads:
        raise UserError(f"{num_heads} does not divide {d_model}")


def test_edits_that_are_valid_only_together_are_applied_together() -> None:
    assert split_valid_edits({"d_model": 15, "num_heads": 5}, check_heads_divide) == (
        {"d_model": 15, "num_heads": 5},
        {},
    )


def test_an_invalid_edit_does_not_affect_the_others() -> None:
    valid, errors = split_valid_edits({"num_heads": "x", "d_model": 18}, check_heads_divide)
    assert valid == {"d_model": 18}
    assert errors == {"num_heads": "expected a whole number"}


@pytest.mark.parametrize(
    ("key", "sentence", "shown"),
    [
        ("model.d_model", "model.d_model: expected at least 2, given 1.", "expected at least 2, given 1."),
        ("model.d_model", "model.num_heads: must divide 7, given 2.", "Heads: must divide 7, given 2."),
        ("training.optimizer.betas", "training.optimizer.betas.0: expected a number", "expected a number"),
        ("dataset.options.min_length", "dataset.options: min_length 5 is too long", "min_length 5 is too long"),
        ("dataset.options.source", "dataset.options.source_cut: expected one", "source_cut: expected one"),
        ("model.d_model", "", ""),
    ],
)
def test_an_error_beside_its_field_does_not_repeat_its_key(key: str, sentence: str, shown: str) -> None:
    assert field_error(key, sentence) == shown
