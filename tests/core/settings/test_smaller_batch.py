"""Half as much at once, and the same in a step."""

from typing import Any

import pytest

from core.config import RunConfig
from core.settings.smaller_batch import smaller_batch


def config(**training: Any) -> RunConfig:
    """Of targets with at most 50 tokens."""
    dataset = {"plugin": "copy_task", "max_tgt_length": 50}
    return RunConfig.model_validate({"dataset": dataset, "training": training})


def test_a_step_learns_from_as_much() -> None:
    halved = smaller_batch(config(batch_size=64, accumulate_steps=3))
    assert halved == {"training.batch_size": 32, "training.accumulate_steps": 6}
    by_tokens = config(batch_tokens=4096)
    assert smaller_batch(by_tokens) == {"training.batch_tokens": 2048, "training.accumulate_steps": 2}


@pytest.mark.parametrize(("training", "is_one"), [({"batch_size": 1}, True), ({"batch_size": 2}, False)])
def test_one_sentence_cannot_be_halved(training: dict[str, int], is_one: bool) -> None:
    assert (smaller_batch(config(**training)) == {}) == is_one


@pytest.mark.parametrize(("batch_tokens", "is_one"), [(1, True), (50, True), (51, False)])
def test_of_tokens_the_longest_target_is_as_many_as_it_has(batch_tokens: int, is_one: bool) -> None:
    assert (smaller_batch(config(batch_tokens=batch_tokens)) == {}) == is_one
