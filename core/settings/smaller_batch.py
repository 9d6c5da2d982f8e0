"""Settings with which to restart a run that ran out of memory: half the batch size, twice as many batches a step."""

from core.config import RunConfig

SHORTEN_ADVICE = "lower dataset.max_src_length and dataset.max_tgt_length, which leave longer pairs out"
"""The advice if a batch is a single sentence already."""


def smaller_batch(config: RunConfig) -> dict[str, int]:
    """Settings with which a step learns from as much in half the memory; empty if the longest sentence fills a batch.

    `config` must be resolved.
    """
    training = config.training
    key = "batch_size" if training.batch_tokens is None else "batch_tokens"
    size = int(getattr(training, key))
    one_sentence = 1 if training.batch_tokens is None else int(config.dataset.max_tgt_length)
    if size <= one_sentence:
        return {}
    return {f"training.{key}": size // 2, "training.accumulate_steps": 2 * training.accumulate_steps}
