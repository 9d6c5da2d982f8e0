"""Which attention heads found the gold alignment of source and target tokens, and when."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.probes import Probe, ProbedSentence

FOUND = 0.8  # the score from which a head counts as having found it

_MOST_UNSCORED = 64  # probes that are kept for it

Scores = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class AlignedHead:
    """A cross-attention head; layer and head count from 0."""

    layer: int
    head: int
    score: float  # 0 to 1, see `alignment_scores`
    since: int | None  # the step from which on it has been at least FOUND; None where it is less, or not yet known


class FirstFind(NamedTuple):
    """When a cross-attention head scored at least FOUND for the first time; layer and head count from 0."""

    step: int
    layer: int
    head: int


class AlignmentScores:
    """The scores of all heads at every probe so far. Empty for data whose plugin gives no alignment.

    Probes are scored many at a time, when somebody asks: one by one, as they come, costs four times as much. Of a run
    that was opened they are read bit by bit; since when a head reads rightly is told once all before was read.
    """

    unread: deque[int]
    """Steps of the probes that are there and were not looked at yet, ascending."""

    def __init__(self) -> None:
        self.unread = deque()
        self._scores: dict[int, Scores] = {}
        self._unscored: list[Probe] = []
        self._first_finds: tuple[int, list[FirstFind]] | None = None  # with the newest probe's step that they count

    def take(self, probe: Probe) -> bool:
        """Remember a probe; False where it has nothing to score against."""
        has_gold = any(map(_has_gold, probe.sentences))
        if has_gold:
            self._unscored.append(probe)
        else:
            self.unread.clear()  # nor has any other: this plugin gives none
        if len(self._unscored) >= _MOST_UNSCORED:
            self._score()
        return has_gold

    def knows(self, step: int) -> bool:
        """Whether the probe of this step was taken."""
        return step in self._scores or any(probe.step == step for probe in self._unscored)

    def cut_back_to(self, step: int) -> None:
        """Forget what came after a step."""
        self._score()
        self._scores = {known: scores for known, scores in self._scores.items() if known <= step}
        self.unread = deque(known for known in self.unread if known <= step)
        self._first_finds = None

    def at(self, step: int) -> Scores | None:
        """[L, H] scores at the newest probe at or before `step`; None where there is none."""
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
            if self._scores[known][layer, head] < FOUND:
                break
            since = known
        return AlignedHead(layer=int(layer), head=int(head), score=float(newest[layer, head]), since=since)

    def first_finds(self, step: int) -> list[FirstFind]:
        """Of each head that has found it at or before `step`, whatever became of it since; the earliest first."""
        self._score()
        newest = max((known for known in self._scores if known <= min(step, self._known_until)), default=-1)
        if self._first_finds is None or self._first_finds[0] != newest:  # it is asked at each drawing, probes are rare
            self._first_finds = newest, self._work_out_first_finds(newest)
        return self._first_finds[1]

    @property
    def _known_until(self) -> float:
        return self.unread[0] if self.unread else math.inf

    def _work_out_first_finds(self, step: int) -> list[FirstFind]:
        steps = self._steps_until(step)
        if not steps:
            return []
        has_found = np.stack([self._scores[known] >= FOUND for known in steps])  # [probes, L, H]
        first = has_found.argmax(axis=0)
        heads = np.argwhere(has_found.any(axis=0)).tolist()
        return sorted(FirstFind(steps[first[layer, head]], layer, head) for layer, head in heads)

    def _steps_until(self, step: int) -> list[int]:
        """Those of the scored probes, ascending, that have as many heads as the newest of them.

        A run may have been continued with others by an early version.
        """
        self._score()
        steps = sorted(known for known in self._scores if known <= step)
        return [known for known in steps if self._scores[known].shape == self._scores[steps[-1]].shape]

    def _score(self) -> None:
        for probe in self._unscored:
            scores = alignment_scores(probe)
            assert scores is not None
            self._scores[probe.step] = scores
            self._first_finds = None
        self._unscored.clear()


def alignment_scores(probe: Probe) -> Scores | None:
    """[L, H] share of the aligned target tokens that each cross-attention head reads rightly.

    A head reads a target token rightly where, fed by the reference, the source token of its highest weight is one that
    the gold alignment links with it. None where no sentence has an alignment.
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
    read = cross.astype(np.float32).argmax(axis=-1)
    hits: NDArray[np.bool_] = is_gold[np.arange(len(is_gold)), read]
    return hits[..., is_gold.any(axis=-1)]
