"""Picks the precision in which a run's own steps are fastest, and gives the reasons for it and for the threads.

The number of threads follows from the size alone (core/training/resolve.py). Measured, it would tell what else the
machine was doing: beside another program, two threads took seven times as long as one, which must not be remembered.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple

from core.config import RunConfig, TrainingConfig
from core.data.prepared_data import PreparedData
from core.events import Progress
from core.machine.processor import has_bfloat16_products
from core.training.auto_precision.cache import cached_seconds, store_seconds
from core.training.auto_precision.sample import Sample, make_sample
from core.training.auto_precision.timing import Seconds, measure
from core.training.memory import require_memory
from core.training.resolve import has_small_steps

MIN_SPEEDUP = 1.1
"""How many times as fast as float32 bfloat16 must be: a smaller gain would be picked by chance."""


class PrecisionChoice(NamedTuple):
    """The config with what was picked, and the reasons, or that there are CUDA graphs; empty if there is neither."""

    config: RunConfig
    reason: str


def choose_precision(
    config: RunConfig, requested: TrainingConfig, data: PreparedData
) -> Generator[Progress, None, PrecisionChoice]:
    """Pick the precision where `requested` leaves it to auto, in a config that is otherwise resolved.

    Raises UserError as require_memory does. Whether attention is fused or written out is not picked here: that follows
    from the lengths of each batch (core/training/passes/scaled_dot_product_attention.py).
    """
    require_memory(config, data)
    resolved, reasons = config.training, []
    if requested.precision == "auto":
        precision, why = yield from _precision(config, data)
        resolved = resolved.model_copy(update={"precision": precision})
        reasons.append(f"precision: {precision} ({why})")
    if requested.num_threads == "auto" and resolved.device == "cpu":
        why = "its steps are too small to share" if has_small_steps(config, data) else "its steps are worth sharing"
        reasons.append(f"threads: {resolved.num_threads} ({why})")
    if resolved.device.startswith("cuda"):
        reasons.append("CUDA graphs (for batches whose operations take longer to launch than to run)")
    return PrecisionChoice(config.model_copy(update={"training": resolved}), ", ".join(reasons))


def imitation_warning(resolved: TrainingConfig) -> str:
    """The reason of slow steps, if this processor only imitates the precision they are taken in; empty otherwise."""
    if resolved.precision != "bfloat16" or resolved.device != "cpu" or has_bfloat16_products():
        return ""
    return "precision: bfloat16 (imitated: this processor does not multiply in it; float32 is faster)"


def _precision(config: RunConfig, data: PreparedData) -> Generator[Progress, None, tuple[str, str]]:
    """The precision, and the reason."""
    training = config.training
    if training.device.startswith("cuda"):
        does = "multiplies" if training.precision == "bfloat16" else "does not multiply"
        return training.precision, f"this GPU {does} in bfloat16"
    if training.device != "cpu":
        return training.precision, f"always on {training.device}"
    if not has_bfloat16_products():
        return "float32", "this processor does not multiply in bfloat16"
    if has_small_steps(config, data):
        return "float32", "steps this small are no faster in bfloat16"
    sample = make_sample(config, data)
    seconds = cached_seconds(sample)
    if seconds is None:
        seconds = yield from measure(sample, training.label_smoothing)
        store_seconds(sample, seconds)
    return faster_precision(seconds), _comparison_words(seconds, sample)


def faster_precision(seconds: Seconds) -> str:
    """float32, unless bfloat16 is clearly faster."""
    return "bfloat16" if MIN_SPEEDUP * seconds.bfloat16 <= seconds.float32 else "float32"


def _comparison_words(seconds: Seconds, sample: Sample) -> str:
    """`a step takes 27 ms in bfloat16 and 39 ms in float32, measured on one core of this processor`."""
    what = "a step"
    if sample.is_part:
        what = f"one layer of each stack with {sample.sentences} sentence{'s' * (sample.sentences != 1)}"
    times = f"{1000 * seconds.bfloat16:.0f} ms in bfloat16 and {1000 * seconds.float32:.0f} ms in float32"
    return f"{what} takes {times}, measured on one core of this processor"
