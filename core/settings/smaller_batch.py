"""What a run that ran out of memory can be begun anew with: half as much at once, twice as often."""

from core.config import TrainingConfig


def smaller_batch(training: TrainingConfig) -> dict[str, int]:
    """Settings with which a step learns from as much in half the memory; none where a batch is one sentence."""
    key = "batch_size" if training.batch_tokens is None else "batch_tokens"
    size = int(getattr(training, key))
    if size < 2:
        return {}
    return {f"training.{key}": size // 2, "training.accumulate_steps": 2 * training.accumulate_steps}
