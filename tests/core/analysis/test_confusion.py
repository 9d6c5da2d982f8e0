"""Counting which symbols are confused, and in which sentences."""

from __future__ import annotations

from core.analysis.confusion import ADDED, LEFT_OUT, count_confusions
from core.analysis.symbols import align_symbols

SENTENCES = [align_symbols(one.split(), other.split()) for one, other in (
    ("a b a", "a b a"),
    ("a b", "a c"),
    ("b a", "c a"),
    ("d a", "a"),
    ("a", "a e"),
)]  # fmt: skip


def test_each_pair_has_its_count_and_sentences() -> None:
    found = count_confusions(SENTENCES, 16)
    assert found.symbols == ("a", "b", "d", ADDED)
    assert found.written == ("a", "b", "d", "c", "e", LEFT_OUT)
    assert found.counts.tolist() == [
        [6, 0, 0, 0, 0, 0],
        [0, 1, 0, 2, 0, 0],
        [0, 0, 0, 0, 0, 1],
        [0, 0, 0, 0, 1, 0],
    ]
    assert found.sentence_indices("b", "c") == (1, 2)
    assert (found.errors, found.errors_shown) == (4, 4) and found.is_confused
    assert found.sentence_indices("d", LEFT_OUT) == (3,)
    assert found.sentence_indices(ADDED, "e") == (4,)
    assert found.shares[1].tolist() == [0, 1 / 3, 0, 2 / 3, 0, 0]


def test_the_symbols_wrong_most_often_are_shown() -> None:
    found = count_confusions(SENTENCES, 3)
    assert found.symbols == ("b", "d", ADDED)
    assert found.written == ("b", "d", "c", LEFT_OUT)
    assert found.times.tolist() == [3, 1, 1]
    assert (found.errors, found.errors_shown) == (4, 3)
    assert found.shares[2].tolist() == [0, 0, 0, 0]  # the added "e" is not among the symbols shown


def test_without_symbols_the_table_is_empty() -> None:
    found = count_confusions([[]], 16)
    assert found.counts.shape == (0, 1) and not found.is_confused
