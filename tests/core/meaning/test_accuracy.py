"""Accuracy by place and by length, both ways of feeding."""

from __future__ import annotations

import numpy as np

from core.meaning.accuracy import by_length, by_position
from core.meaning.written_symbols import side_by_side, symbols_of
from tests.core.meaning.sentences import validated

SENTENCES = [validated("a b", "a b"), validated("a b", "a c", (0, 2, 0)), validated("a b c", "b c", (1, 0, 0, 0))]
WRITTEN = [side_by_side(*symbols_of(one)) for one in SENTENCES]


def test_by_position_each_place_is_a_share_of_the_sentences_that_reach_it() -> None:
    found = by_position(SENTENCES, WRITTEN)
    assert found.keys.tolist() == [1, 2, 3]
    assert found.count.tolist() == [3, 3, 1]
    np.testing.assert_allclose(found.fed, [2 / 3, 2 / 3, 1.0])
    np.testing.assert_allclose(found.free, [2 / 3, 2 / 3, 1.0])


def test_by_length_a_sentence_is_right_as_a_whole() -> None:
    found = by_length(SENTENCES, WRITTEN)
    assert found.keys.tolist() == [2, 3]
    assert found.count.tolist() == [2, 1]
    np.testing.assert_allclose(found.fed, [0.5, 0.0])
    np.testing.assert_allclose(found.free, [0.5, 0.0])
