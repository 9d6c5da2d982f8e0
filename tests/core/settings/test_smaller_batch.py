"""Half as much at once, and the same in a step."""

from core.config import TrainingConfig
from core.settings.smaller_batch import smaller_batch


def test_a_step_learns_from_as_much() -> None:
    halved = smaller_batch(TrainingConfig(batch_size=64, accumulate_steps=3))
    assert halved == {"training.batch_size": 32, "training.accumulate_steps": 6}
    by_tokens = TrainingConfig.model_validate({"batch_tokens": 4096})
    assert smaller_batch(by_tokens) == {"training.batch_tokens": 2048, "training.accumulate_steps": 2}


def test_one_sentence_cannot_be_halved() -> None:
    assert smaller_batch(TrainingConfig(batch_size=1)) == {}
