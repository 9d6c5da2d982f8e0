"""The model with and without some of its attention heads: records of numpy and plain Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from core.answers.anatomy import AttentionKind
from core.answers.timed import TimedAnswer
from core.probes import ProbedSentence


class HeadId(NamedTuple):
    """One head; layer and head count from 0."""

    kind: AttentionKind
    layer: int
    head: int


@dataclass(frozen=True, kw_only=True, eq=False)
class AblationResult:
    """What a model made of one sentence, and of the first pairs of the valid split."""

    sentence: ProbedSentence
    valid_loss: float | None  # nats per target token, as in `valid/loss`; None without pairs


@dataclass(frozen=True, kw_only=True, eq=False)
class HeadAblation(TimedAnswer):
    """The same weights with all heads, and without some of them."""

    step: int  # of the weights
    heads: tuple[HeadId, ...]  # those left out
    complete: AblationResult
    without: AblationResult
    num_valid: int  # how many pairs `valid_loss` is over
