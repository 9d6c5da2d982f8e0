"""pydantic's findings as sentences, for groups, unions and lists of any model."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.settings.errors import first_error


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    size: int = Field(3, gt=2, le=1_000_000)


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    inner: Inner = Inner()
    maybe: Inner | None = None
    either: Literal["auto"] | Inner = "auto"
    count: Literal["auto"] | Annotated[int, Field(ge=1)] = "auto"
    rates: list[float] = []
    word: str = Field("a", pattern="^[a-z]$", json_schema_extra={"expected": "one small letter"})


@pytest.mark.parametrize(
    ("given", "path", "sentence"),
    [
        ({"inner": {"size": 2}}, ("inner", "size"), "inner.size: expected more than 2, given 2."),
        ({"inner": {"size": 2_000_000}}, ("inner", "size"), "inner.size: expected at most 1,000,000, given 2000000."),
        ({"inner": {"siz": 5}}, ("inner", "siz"), "inner.siz: unknown key; did you mean size?"),
        ({"maybe": {"size": "x"}}, ("maybe", "size"), "maybe.size: expected a whole number, given 'x'."),
        ({"either": {"size": "x"}}, ("either", "size"), "either.size: expected a whole number, given 'x'."),
        ({"either": {"q": "x"}}, ("either", "q"), "either.q: unknown key; known here: size."),
        ({"either": 3}, ("either",), "either: expected auto or settings as `key: value` lines, given 3."),
        ({"count": 0}, ("count",), "count: expected auto or at least 1, given 0."),
        ({"count": "x"}, ("count",), "count: expected auto or a whole number, given 'x'."),
        ({"rates": [0.5, "x"]}, ("rates", 1), "rates.1: expected a number, given 'x'."),
        ({"word": "A"}, ("word",), "word: expected one small letter, given 'A'."),
        ({"word": None}, ("word",), "word: expected one small letter, given null."),
    ],
)
def test_the_first_finding_as_a_sentence(given: dict[str, Any], path: tuple[str | int, ...], sentence: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate(given)
    assert first_error(caught.value, Outer) == (path, sentence)
