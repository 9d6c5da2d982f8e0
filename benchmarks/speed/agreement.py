"""Refuses to time implementations that do not compute the same: our weights in each of them give our results."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.speed.ours import plain_weights
from benchmarks.speed.sizes import LABEL_SMOOTHING
from benchmarks.speed.textbook import Textbook
from benchmarks.speed.torch_transformer import TorchTransformer
from benchmarks.speed.training_step import mean_loss
from core.data.batching import Batch
from core.model.evaluation import evaluating
from core.training.loss import batch_loss
from core.training.trainer import Trainer

_TOLERANCE = 1e-5


class Disagreement(Exception):
    """Two implementations differ, so that comparing their speed would mean nothing."""


def share_weights(trainer: Trainer, models: Mapping[str, Textbook | TorchTransformer]) -> None:
    """Copy our weights into all."""
    plain = plain_weights(trainer)
    for model in models.values():
        model.load(plain)


def require_same_loss(trainer: Trainer, batch: Batch, models: Mapping[str, Textbook | TorchTransformer]) -> None:
    """Raise Disagreement unless all give our smoothed loss of a batch, in float32 and without dropout."""
    with evaluating(trainer.model):
        ours = float(batch_loss(trainer.model, batch, LABEL_SMOOTHING).objective) / batch.num_target_tokens
    for name, model in models.items():
        with evaluating(model):
            theirs = float(mean_loss(model(batch), batch))
        if abs(theirs - ours) > _TOLERANCE * ours:
            raise Disagreement(f"With the same weights {name} has a loss of {theirs:.7f}, ours is {ours:.7f}.")


def require_same_tokens(ours: list[list[int]], name: str, theirs: list[list[int]]) -> None:
    """Raise Disagreement at the first sentence that was written differently."""
    for number, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        if mine != other:
            raise Disagreement(f"Sentence {number}: {name} writes {other}, ours {mine}.")
