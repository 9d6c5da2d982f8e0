"""Refuses to time implementations that do not compute the same: with our weights, each must give our results."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.speed.ours import plain_weights
from benchmarks.speed.rival import Rival, SameModel
from benchmarks.speed.training_step import mean_loss
from core.data.batch import Batch
from core.model.evaluation import evaluating
from core.model.transformer import Transformer

_TOLERANCE = 1e-5


class Disagreement(Exception):
    """Two implementations differ, so that comparing their speed would mean nothing."""


def same_models(rivals: Mapping[str, Rival], ours: Transformer, *, norm_first: bool) -> dict[str, SameModel]:
    """The rivals that compute what `ours` does, with its weights loaded."""
    same = {
        name: rival for name, rival in rivals.items() if isinstance(rival, SameModel) and rival.norm_first == norm_first
    }
    for rival in same.values():
        rival.load(plain_weights(ours))
    return same


def require_same_loss(name: str, rival: Rival, ours: Transformer, batch: Batch) -> None:
    """Raise Disagreement unless the rival gives our smoothed loss of a batch, in float32 and without dropout."""
    with evaluating(ours):
        logits = ours(batch.src, batch.tgt_input, batch.src_mask, batch.tgt_mask)
        expected = float(mean_loss(logits, batch))
    with evaluating(rival):
        loss = float(rival.loss(batch))
    if abs(loss - expected) > _TOLERANCE * expected:
        raise Disagreement(f"With the same weights {name} has a loss of {loss:.7f}, ours is {expected:.7f}.")


def require_same_tokens(name: str, theirs: list[list[int]], ours: list[list[int]]) -> None:
    """Raise Disagreement at the first sentence that was decoded differently."""
    for number, (other, mine) in enumerate(zip(theirs, ours, strict=True)):
        if other != mine:
            raise Disagreement(f"Sentence {number}: {name} writes {other}, ours {mine}.")
