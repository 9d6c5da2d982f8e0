"""Which attention heads found the gold alignment of source and target tokens, and when."""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import ne
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.probes import Probe, ProbedSentence

FOUND_SCORE = 0.8  # the score from which on a head counts as having found it

_MAX_UNSCORED = 64  # probes that are kept before they are scored

Scores = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class AlignedHead:
    """A cross-attention head; layer and head count from 0."""

    layer: int
    head: int
    score: float  # 0 to 1, see `alignment_scores`
    since: int | None  # the step since which it has been at least FOUND_SCORE; None if it is less, or not yet known


class FirstFind(NamedTuple):
    """When a cross-attention head scored at least FOUND_SCORE for the first time; layer and head count from 0."""

    step: int
    layer: int
    head: int


class AlignmentScores:
    """The scores of all heads at every probe so far. Empty for data whose plugin gives no alignment.

    Probes are scored many at a time, when somebody asks: scoring each as it comes costs four times as much. Those of an
    opened run are read bit by bit; how long a head has aligned is known once all earlier ones are read.
    """

    unread: deque[int]
    """Steps of the stored probes that were not read yet, ascending."""

    def __init__(self) -> None:
        self.unread = deque()
        self._unscored: list[Probe] = []
        self._clear()

    def _clear(self) -> None:
        self._scores: dict[int, Scores] = {}
        self._steps: list[int] = []  # their steps, ascending
        self._found_at: dict[tuple[int, ...], Scores] = {}  # shape -> [L, H] first step at FOUND_SCORE, or infinity

    def add(self, probe: Probe) -> bool:
        """Add a probe; False if it has no gold alignment to score against."""
        has_gold = any(map(_has_gold, probe.sentences))
        if has_gold:
            self._unscored.append(probe)
        else:
            self.unread.clear()  # nor has any other: the plugin gives none
        if len(self._unscored) >= _MAX_UNSCORED:
            self._score()
        return has_gold

    def has_step(self, step: int) -> bool:
        """Whether the probe of this step was added."""
        return step in self._scores or any(probe.step == step for probe in self._unscored)

    def truncate_after(self, step: int) -> None:
        """Forget what came after a step."""
        self._score()
        self._retain(lambda known: known <= step)
        self.unread = deque(known for known in self.unread if known <= step)

    def at(self, step: int) -> Scores | None:
        """[L, H] scores at the newest probe at or before `step`; None if there is none."""
        steps = self._steps_until(step)
        return self._scores[steps[-1]] if steps else None

    def best(self, step: int) -> AlignedHead | None:
        """The head with the highest score at the newest probe at or before `step`."""
        steps = self._steps_until(step)
        if not steps:
            return None
        newest = self._scores[steps[-1]]
        layer, head = np.unravel_index(newest.argmax(), newest.shape)
        since = None
        for known in reversed(steps if steps[-1] <= self._known_until else ()):
            if self._scores[known][layer, head] < FOUND_SCORE:
                break
            since = known
        return AlignedHead(layer=int(layer), head=int(head), score=float(newest[layer, head]), since=since)

    def first_finds(self, step: int) -> list[FirstFind]:
        """The first find of each head that found it at or before `step`, even if it lost it since; earliest first."""
        until = min(step, self._known_until)
        if not (steps := self._steps_until(until)):
            return []
        found_at = self._found_at[self._scores[steps[-1]].shape]
        heads = np.argwhere(found_at <= until).tolist()
        return sorted(FirstFind(int(found_at[layer, head]), layer, head) for layer, head in heads)

    @property
    def _known_until(self) -> float:
        return self.unread[0] if self.unread else math.inf

    def _steps_until(self, step: float) -> list[int]:
        """The scored probes' steps, ascending, whose number of heads is that of the newest.

        An early version could continue a run with another number.
        """
        self._score()
        steps = self._steps[: bisect_right(self._steps, step)]
        if len(self._found_at) <= 1:
            return steps
        return [known for known in steps if self._scores[known].shape == self._scores[steps[-1]].shape]

    def _score(self) -> None:
        for probe in self._unscored:
            scores = alignment_scores(probe)
            assert scores is not None
            if probe.step in self._scores:  # it was made again, for example with an added sentence
                self._retain(partial(ne, probe.step))
            self._store(probe.step, scores)
        self._unscored.clear()

    def _store(self, step: int, scores: Scores) -> None:
        """Add scores, and update the first finds with them, so that asking for those does not go through all probes."""
        self._scores[step] = scores
        insort(self._steps, step)
        found_at = self._found_at.setdefault(scores.shape, np.full(scores.shape, math.inf))
        np.minimum(found_at, np.where(scores >= FOUND_SCORE, step, math.inf), out=found_at)

    def _retain(self, is_kept: Callable[[int], bool]) -> None:
        known = self._scores
        self._clear()
        for step in filter(is_kept, known):
            self._store(step, known[step])


def alignment_scores(probe: Probe) -> Scores | None:
    """[L, H] the share of aligned target tokens for which each cross-attention head reads the right source token.

    It does where, fed by the reference, the source token with its highest weight is one that the gold alignment links
    with the target token; weights that are not numbers, as of a diverged model, read none. None if no sentence has an
    alignment.
    """
    hits = [_hits(sentence) for sentence in probe.sentences if _has_gold(sentence)]
    return np.concatenate(hits, axis=-1).mean(axis=-1) if hits else None


def _has_gold(sentence: ProbedSentence) -> bool:
    return bool(sentence.alignment) and sentence.by_reference is not None


def _hits(sentence: ProbedSentence) -> NDArray[np.bool_]:
    """[L, H, aligned target tokens]."""
    assert sentence.by_reference is not None
    cross = sentence.by_reference.cross
    src, tgt = np.array(sentence.alignment).T
    is_gold = np.zeros(cross.shape[2:], dtype=bool)
    is_gold[tgt, src] = True
    read = cross.astype(np.float32).argmax(axis=-1)  # the first if none is a number
    hits: NDArray[np.bool_] = is_gold[np.arange(len(is_gold)), read] & ~np.isnan(cross[..., 0])
    return hits[..., is_gold.any(axis=-1)]
