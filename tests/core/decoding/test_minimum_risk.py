"""Minimum-risk decoding, compared with its definition."""

from __future__ import annotations

import math
import random

import pytest

from core.decoding.hypothesis import ScoredHypothesis, penalty
from core.decoding.minimum_risk import lowest_risk
from core.edit_distance import edit_distances


def scored(
    tokens: list[int], probability: float, *, length_penalty: float = 0.0, finished: bool = True
) -> ScoredHypothesis:
    score = math.log(probability) / penalty(len(tokens) + finished, length_penalty)
    return ScoredHypothesis(tokens, finished, score)


def test_two_similar_outputs_outweigh_a_likelier_one() -> None:
    different, similar, also_similar = scored([9, 8, 7], 0.4), scored([1, 2, 3], 0.3), scored([1, 2, 4], 0.2)
    assert lowest_risk([[different, similar, also_similar], [different, similar]], 0.0) == [similar, different]


def test_outputs_too_improbable_for_a_float_are_weighed_too() -> None:
    different, similar, also_similar = (
        ScoredHypothesis(tokens, True, score)
        for tokens, score in (([9, 8, 7], -1000.0), ([1, 2, 3], -1000.2), ([1, 2, 4], -1000.4))
    )
    assert lowest_risk([[different, similar, also_similar]], 0.0) == [similar]


def test_among_equal_risks_the_best_score_wins() -> None:
    beam = [scored([1], 0.5), scored([2], 0.5)]
    assert lowest_risk([beam, beam[::-1]], 0.0) == [beam[0], beam[1]]


def test_cut_outputs_count_only_if_the_beam_has_no_finished_one() -> None:
    finished, cut, cut_2 = scored([1], 0.01), scored([2, 3], 0.9, finished=False), scored([2, 4], 0.8, finished=False)
    assert lowest_risk([[finished, cut, cut_2], [cut, cut_2]], 0.0) == [finished, cut]


@pytest.mark.parametrize("length_penalty", [0.0, 0.6, 2.0])
def test_weights_are_probabilities_whatever_the_length_penalty(length_penalty: float) -> None:
    draw = random.Random(0)
    for _ in range(50):
        drawn = [([draw.randrange(3) for _ in range(draw.randrange(5))], draw.uniform(0.01, 0.2)) for _ in range(5)]
        beam = [scored(tokens, probability, length_penalty=length_penalty) for tokens, probability in drawn]
        risks = [
            sum(probability * float(edit_distances([tokens], [other])[0]) for other, probability in drawn)
            for tokens, _ in drawn
        ]
        (chosen,) = lowest_risk([beam], length_penalty)
        assert risks[beam.index(chosen)] == pytest.approx(min(risks))
