"""Picks from a beam the output with the fewest expected errors, in place of the most probable one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from core.decoding.hypothesis import ScoredHypothesis, penalty
from core.edit_distance import edit_distances


def lowest_risk(beams: Sequence[Sequence[ScoredHypothesis]], length_penalty: float) -> list[ScoredHypothesis]:
    """From each beam, sorted best first, the output nearest to all of its outputs, weighted by their probability.

    This is minimum Bayes risk with the edit distance in tokens (Goel and Byrne 2000; Kumar and Byrne 2004 for
    translation). Ties go to the better score. Outputs cut at max_length count only in a beam that has no others.
    """
    found = [[one for one in beam if one.finished] or list(beam) for beam in beams]
    pairs = [pair for beam in found for pair in product([one.tokens for one in beam], repeat=2)]
    distances = edit_distances(*zip(*pairs, strict=True))
    chosen, begin = [], 0
    for beam in found:
        log_probabilities = np.array([one.score * penalty(len(one.produced), length_penalty) for one in beam])
        weights = np.exp(log_probabilities - log_probabilities.max())
        end = begin + len(beam) ** 2
        risks = distances[begin:end].reshape(len(beam), len(beam)) @ weights
        chosen.append(beam[int(risks.argmin())])
        begin = end
    return chosen
