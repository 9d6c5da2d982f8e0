"""pydantic's errors as sentences, for groups, unions and lists of any model."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.config import RunConfig
from core.settings.fields import SettingField, run_settings
from core.user_input.errors import first_error


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    size: int = Field(default=3, gt=2, le=1_000_000)
    depth: Literal["auto"] | Annotated[int, Field(ge=1)] = "auto"


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    inner: Inner = Inner()
    maybe: Inner | None = None
    either: Literal["auto"] | Inner = "auto"
    count: Literal["auto"] | Annotated[int, Field(ge=1)] = "auto"
    rates: list[float] = []
    word: str = Field(default="a", pattern="^[a-z]$", json_schema_extra={"expected": "one small letter"})


@pytest.mark.parametrize(
    ("value", "path", "sentence"),
    [
        ({"inner": {"size": 2}}, ("inner", "size"), "inner.size: expected more than 2, given 2."),
        ({"inner": {"size": 2_000_000}}, ("inner", "size"), "inner.size: expected at most 1,000,000, given 2000000."),
        ({"inner": {"siz": 5}}, ("inner", "siz"), "inner.siz: unknown key; did you mean size?"),
        ({"maybe": {"size": "x"}}, ("maybe", "size"), "maybe.size: expected a whole number, given 'x'."),
        ({"either": {"size": "x"}}, ("either", "size"), "either.size: expected a whole number, given 'x'."),
        ({"either": {"q": "x"}}, ("either", "q"), "either.q: unknown key; known here: size, depth."),
        ({"either": {"depth": 0}}, ("either", "depth"), "either.depth: expected auto or at least 1, given 0."),
        ({"either": {"depth": "x"}}, ("either", "depth"), "either.depth: expected auto or a whole number, given 'x'."),
        ({"either": 3}, ("either",), "either: expected auto or settings as `key: value` lines, given 3."),
        ({"count": 0}, ("count",), "count: expected auto or at least 1, given 0."),
        ({"count": "x"}, ("count",), "count: expected auto or a whole number, given 'x'."),
        ({"rates": [0.5, "x"]}, ("rates", 1), "rates.1: expected a number, given 'x'."),
        ({"word": "A"}, ("word",), "word: expected one small letter, given 'A'."),
        ({"word": None}, ("word",), "word: expected one small letter, given null."),
    ],
)
def test_the_first_error_becomes_a_sentence(value: dict[str, Any], path: tuple[str | int, ...], sentence: str) -> None:
    with pytest.raises(ValidationError) as exc_info:
        Outer.model_validate(value)
    assert first_error(exc_info.value, Outer) == (path, sentence)


NUMBERS_OR_AUTO = [field for field in run_settings().values() if field.allows_auto and field.kind == "int"]


@pytest.mark.parametrize("field", NUMBERS_OR_AUTO, ids=lambda field: field.key)
def test_errors_of_numbers_that_may_be_auto_state_the_limits(field: SettingField) -> None:
    assert field.minimum is not None
    expectations: dict[Any, str] = dict.fromkeys((8e3, True, None, "x"), "a whole number")
    expectations[field.minimum - 1] = f"at least {field.minimum:,}"
    if field.maximum is not None:
        expectations[field.maximum + 1] = f"at most {field.maximum:,}"
    for value, expected in expectations.items():
        with pytest.raises(ValidationError) as exc_info:
            RunConfig.model_validate(_with(field.key, value))
        _, sentence = first_error(exc_info.value, RunConfig)
        assert sentence.startswith(f"{field.key}: expected auto or {expected}, given ")


def _with(key: str, value: Any) -> dict[str, Any]:
    """A config document with this setting."""
    config: dict[str, Any] = {"dataset": {"plugin": "copy_task"}}
    *groups, last = key.split(".")
    group = config
    for name in groups:
        group = group.setdefault(name, {})
    group[last] = value
    return config
