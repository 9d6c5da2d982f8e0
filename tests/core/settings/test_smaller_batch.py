"""Halving the batch size while keeping the sentences or tokens of a step."""

from typing import Any

import pytest

from core.config import RunConfig
from core.settings.smaller_batch import smaller_batch


def config(**training: Any) -> RunConfig:
    """A config with targets of at most 50 tokens."""
    dataset = {"plugin": "copy_task", "max_tgt_length": 50}
    return RunConfig.model_validate({"dataset": dataset, "training": training})


def test_accumulating_twice_the_batches_keeps_the_size_of_a_step() -> None:
    halved = smaller_batch(config(batch_size=64, accumulate_steps=3))
    assert halved == {"training.batch_size": 32, "training.accumulate_steps": 6}
    by_tokens = config(batch_tokens=4096)
    assert smaller_batch(by_tokens) == {"training.batch_tokens": 2048, "training.accumulate_steps": 2}


@pytest.mark.parametrize(("training", "is_one"), [({"batch_size": 1}, True), ({"batch_size": 2}, False)])
def test_one_sentence_cannot_be_halved(training: dict[str, int], is_one: bool) -> None:
    assert (smaller_batch(config(**training)) == {}) == is_one


@pytest.mark.parametrize(("batch_tokens", "is_one"), [(1, True), (50, True), (51, False)])
def test_a_batch_of_tokens_is_not_halved_at_the_longest_target(batch_tokens: int, is_one: bool) -> None:
    assert (smaller_batch(config(batch_tokens=batch_tokens)) == {}) == is_one
