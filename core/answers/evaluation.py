"""What the weights of a run reach on a split."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.config import DecodingConfig


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """A split evaluated, teacher-forced and free-running; keys of `metrics` without a split's prefix."""

    run: Path
    split: str
    checkpoint: int
    sentences: int
    left_out: int  # pairs of the split that are longer than the lengths allow: not scored
    plugin_left_out: int  # and those that the plugin's own options leave out
    is_valid_again: bool  # the test split of a dataset without test pairs of its own
    other_options: dict[str, Any]  # of the dataset, that gave other pairs than the run's own split
    metrics: dict[str, float]  # those of a validation, and sequence_error_rate: the share of sentences not right
    plugin_metrics: dict[str, float]
    bleu_signature: str
    chrf_signature: str
    tokenized_bleu: float  # 0 to 100; lower-cased, on tokens as spaces separate them
    tokenized_bleu_signature: str
    seconds: float
    predictions: tuple[tuple[str, str, str], ...]  # source, reference, hypothesis
    matches: tuple[bool, ...]  # of each prediction: whether it is its reference, as the target's tokenizer joins it
    token_edits: tuple[tuple[int, int], ...]  # of each prediction: edits that make it its reference, reference tokens
    decoding: DecodingConfig  # how the predictions were written
    minimum_risk: bool  # and what was chosen of a beam, as Evaluate says
    averaged_steps: tuple[int, ...] = ()  # the checkpoints whose mean this is; none where it is of one
    ema_decay: float | None = None  # of the moving average that these weights are; None where they are none
