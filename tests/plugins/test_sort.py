"""Sorting: targets are the source's letters in order, equal letters keep their order, no word in two splits."""

import random
from collections import Counter
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plugin import Pair, Split, split_of
from plugins.sort import PLUGIN, SortOptions, indices_in_order

SPLITS: tuple[Split, ...] = ("train", "valid", "test")


def drawn(split: Split, limit: int | None = None, seed: int = 0, **options: int) -> list[Pair]:
    return list(islice(PLUGIN(SortOptions(**options)).pairs(split, random.Random(seed)), limit))


@given(
    num_letters=st.integers(5, 26),
    lengths=st.tuples(st.integers(5, 12), st.integers(0, 5)),
    split=st.sampled_from(SPLITS),
    seed=st.integers(0, 1000),
)
def test_every_target_is_the_source_in_order(
    num_letters: int, lengths: tuple[int, int], split: Split, seed: int
) -> None:
    shortest, longest = lengths[0], sum(lengths)
    for pair in drawn(split, 20, seed, num_letters=num_letters, min_length=shortest, max_length=longest):
        assert all(one <= next_one for one, next_one in pairwise(pair.target))
        assert Counter(pair.target) == Counter(pair.source) and split_of(pair.source) == split
        assert shortest <= len(pair.source) <= longest
        assert set(pair.source) <= set("abcdefghijklmnopqrstuvwxyz"[:num_letters])


def test_the_alignment_of_a_word_equals_one_made_by_hand() -> None:
    assert indices_in_order("banana") == [(1, 0), (3, 1), (5, 2), (0, 3), (2, 4), (4, 5)]


@given(word=st.text("abc", max_size=12))
def test_every_letter_is_aligned_with_itself_and_equal_ones_keep_their_order(word: str) -> None:
    links = indices_in_order(word)
    assert [to for _, to in links] == list(range(len(word)))
    assert sorted(at for at, _ in links) == list(range(len(word)))
    assert [word[at] for at, _ in links] == sorted(word)
    assert all(word[one] < word[other] or one < other for (one, _), (other, _) in pairwise(links))


def test_a_thousand_words_are_held_out_and_never_trained_on() -> None:
    train = {pair.source for pair in drawn("train", 20_000, num_letters=4, min_length=7, max_length=7)}
    for split in SPLITS[1:]:
        held_out = drawn(split, num_letters=4, min_length=7, max_length=7)
        assert len(held_out) == 1000
        assert train.isdisjoint(pair.source for pair in held_out)


def test_a_minimum_length_above_the_maximum_is_refused() -> None:
    with pytest.raises(ValueError, match="min_length 13 is above max_length 12"):
        SortOptions(min_length=13)


@pytest.mark.parametrize("length", [1, 2, 11, 64])
def test_examples_can_be_read_by_the_model(length: int) -> None:
    plugin = PLUGIN(SortOptions(num_letters=3, min_length=1, max_length=length))
    for example in plugin.examples():
        assert len(example) == length and set(example) <= set(plugin.symbols()[0])
