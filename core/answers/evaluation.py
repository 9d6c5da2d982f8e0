"""The result of evaluating a run's weights on a split."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.config import DecodingConfig


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """An evaluation of a split, teacher-forced and free-running; the keys of `metrics` have no split prefix."""

    run: Path
    split: str
    checkpoint: int
    sentences: int
    left_out: int  # pairs of the split that are longer than the allowed lengths, and not scored
    plugin_left_out: int  # pairs that the plugin's own options leave out
    is_valid_again: bool  # whether the test split is the valid split, for lack of test pairs of its own
    other_options: dict[str, Any]  # the dataset's options, if they gave other pairs than the run's own
    replaced_splits: tuple[str, ...]  # the splits of which changed options gave other pairs
    metrics: dict[str, float]  # those of a validation, and sequence_error_rate: the share of wrong sentences
    plugin_metrics: dict[str, float]
    bleu_signature: str
    chrf_signature: str
    tokenized_bleu: float  # 0 to 100; lower-cased, on tokens separated by spaces
    tokenized_bleu_signature: str
    seconds: float
    predictions: tuple[tuple[str, str, str], ...]  # source, reference, hypothesis
    matches: tuple[bool, ...]  # for each prediction: whether it equals the reference, joined by the target's tokenizer
    token_edits: tuple[tuple[int, int], ...]  # for each prediction: edits to its reference, and reference tokens
    decoding: DecodingConfig  # how the predictions were decoded
    minimum_risk: bool  # whether they were chosen from the beam by minimum Bayes risk
    averaged_steps: tuple[int, ...] = ()  # the averaged checkpoints; empty for a single one
    ema_decay: float | None = None  # if the weights are a moving average, its decay
