"""What a run that ran out of memory can be begun anew with: half as much at once, twice as often."""

from core.config import RunConfig

SHORTER = "lower dataset.max_src_length and dataset.max_tgt_length, which leave longer pairs out"
"""What is left where one sentence already is the whole batch."""


def smaller_batch(config: RunConfig) -> dict[str, int]:
    """Settings with which a step learns from as much in half the memory; none where the longest sentence is a batch.

    `config` is resolved.
    """
    training = config.training
    key = "batch_size" if training.batch_tokens is None else "batch_tokens"
    size = int(getattr(training, key))
    one_sentence = 1 if training.batch_tokens is None else int(config.dataset.max_tgt_length)
    if size <= one_sentence:
        return {}
    return {f"training.{key}": size // 2, "training.accumulate_steps": 2 * training.accumulate_steps}
