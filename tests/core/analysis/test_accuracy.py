"""Accuracy by position and by length, with teacher forcing and free-running."""

from __future__ import annotations

import numpy as np

from core.analysis.validation_figures import compute_figures
from tests.core.analysis.sentences import subwords, validated

FIGURES = compute_figures(
    0, (validated("a b", "a b"), validated("a b", "a c", (0, 2, 0)), validated("a b c", "b c", (1, 0, 0, 0)))
)


def test_accuracy_by_position_is_over_the_sentences_that_reach_it() -> None:
    found = FIGURES.by_position
    assert found.keys.tolist() == [1, 2, 3]
    assert found.count.tolist() == [3, 3, 1]
    np.testing.assert_allclose(found.teacher_forced, [2 / 3, 2 / 3, 1.0])
    np.testing.assert_allclose(found.free_running, [2 / 3, 2 / 3, 1.0])


def test_accuracy_by_length_counts_sentences_that_are_entirely_right() -> None:
    found = FIGURES.by_length
    assert found.keys.tolist() == [2, 3]
    assert found.count.tolist() == [2, 1]
    np.testing.assert_allclose(found.teacher_forced, [0.5, 0.0])
    np.testing.assert_allclose(found.free_running, [0.5, 0.0])


def test_subwords_are_counted_as_words_both_ways() -> None:
    sentences = (subwords("▁kal t es ▁bier", "kaltes bier", (0, 4, 0, 0, 0)), subwords("▁bier", "wein", (0, 0)))
    figures = compute_figures(0, sentences)
    for found, free in ((figures.by_position, [0.5, 1.0]), (figures.by_length, [0.0, 1.0])):
        assert found.keys.tolist() == [1, 2]
        assert found.free_running.tolist() == free
    assert figures.by_position.teacher_forced.tolist() == [0.5, 1.0] and figures.by_position.count.tolist() == [2, 1]
    assert figures.by_length.teacher_forced.tolist() == [1.0, 0.0] and figures.by_length.count.tolist() == [1, 1]


def test_a_sentence_with_a_wrong_end_is_not_right() -> None:
    (one, other) = (validated("a b", "a b", (0, 0, 1)), validated("a b", "a b c"))
    figures = compute_figures(0, (one, other))
    found = figures.by_length
    assert found.teacher_forced.tolist() == [0.5] and found.free_running.tolist() == [0.5]
    assert figures.by_position.keys.tolist() == [1, 2]  # an added symbol is at no position of the reference
