"""Reversing lists of numbers: the pairs of JoeyNMT's script, and the metrics for trained and longer lengths."""

import random
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plugin import Pair, Split, split_of
from plugins.joeynmt_reverse import PLUGIN, JoeyReverseOptions


def drawn(split: Split, limit: int | None = None, seed: int = 0, **options: int) -> list[Pair]:
    return list(islice(PLUGIN(JoeyReverseOptions(**options)).pairs(split, random.Random(seed)), limit))


@given(split=st.sampled_from(["train", "valid", "test"]), seed=st.integers(0, 1000))
def test_every_pair_is_a_list_and_the_same_backwards(split: Split, seed: int) -> None:
    for pair in drawn(split, 20, seed):
        numbers = pair.source.split()
        assert pair.target.split() == numbers[::-1] and split_of(pair.source) == split
        assert 1 <= len(numbers) <= (25 if split == "train" else 30)
        assert all(0 <= int(number) < 50 for number in numbers)
        assert pair.alignment is not None
        assert [numbers[at] for at, _ in pair.alignment] == pair.target.split()


def test_as_many_pairs_as_joeynmt_draws_with_all_lengths_and_numbers() -> None:
    train, valid = drawn("train"), drawn("valid")
    assert (len(train), len(valid), len(drawn("test"))) == (50_000, 1000, 1000)
    assert {len(pair.source.split()) for pair in train} == set(range(1, 26))
    assert {len(pair.source.split()) for pair in valid} == set(range(1, 31))
    assert {number for pair in valid for number in pair.source.split()} == {str(number) for number in range(50)}


def test_longer_lists_have_a_separate_metric() -> None:
    pairs = [Pair("1 2 3", "3 2 1"), Pair("4", "4"), Pair("1 2 3 4", "4 3 2 1")]
    plugin = PLUGIN(JoeyReverseOptions(max_length=3, num_numbers=50))
    assert plugin.metrics(pairs, ["3 2 1", "", "4 3 2"]) == {
        "exact_match_trained_lengths": 0.5,
        "exact_match_longer": 0.0,
    }
    assert plugin.metrics(pairs[:1], ["3 2 1"]) == {"exact_match_trained_lengths": 1.0, "exact_match_longer": 0.0}


def test_too_few_different_lists_are_refused() -> None:
    with pytest.raises(ValueError, match="2 numbers in lists of 9 are too few different lists"):
        JoeyReverseOptions(num_numbers=2, max_length=9)


def test_examples_can_be_read_by_the_model() -> None:
    plugin = PLUGIN(JoeyReverseOptions(num_numbers=10, max_length=12))
    assert all(0 <= int(number) < 10 for example in plugin.examples() for number in example.split())
