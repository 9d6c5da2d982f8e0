"""Of what a beam ends with, the output with the fewest errors to be expected, instead of the likeliest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from core.decoding.hypothesis import ScoredHypothesis, penalty
from core.edit_distance import edit_distances


def least_risk(beams: Sequence[Sequence[ScoredHypothesis]], length_penalty: float) -> list[ScoredHypothesis]:
    """Of each beam, best first, the output that is nearest to all of its outputs, each weighted by its probability.

    Near is few edits in tokens: minimum Bayes risk by edit distance (Goel and Byrne 2000; Kumar and Byrne 2004 for
    translation). Where several are equally near, the one of the best score. Outputs that max_length cut count where a
    beam has no others.
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
