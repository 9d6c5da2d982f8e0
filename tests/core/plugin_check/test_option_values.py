"""The option values that the check tries."""

from __future__ import annotations

from typing import Literal

from core.plugin import Options, option
from core.plugin_check.option_values import other_values


class ManyOptions(Options):
    length: int = option(6, ge=1, le=64)
    share: float = option(0.0, ge=0.0, le=1.0)
    least: int = option(5, ge=1)
    free: float = option(0.5)
    corpus: Literal["grammar", "sentences", "both"] = option("grammar")
    shuffled: bool = option(True)
    alphabet: str = option("abc")


def test_both_ends_and_every_other_choice_are_tried_but_not_the_current_value() -> None:
    values = list(other_values(ManyOptions.model_json_schema(), ManyOptions().model_dump()))
    assert values == [
        *(("length", 1), ("length", 64), ("share", 1.0), ("least", 1)),
        *(("corpus", "sentences"), ("corpus", "both"), ("shuffled", False)),
    ]
    assert [type(value) for name, value in values if name in ("length", "share")] == [int, int, float]
