"""Reversing: targets are sources backwards, lengths and letters within range, no word in two splits."""

import random
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plugin import Pair, Split, split_of
from plugins.reverse import PLUGIN, ReverseOptions

SPLITS: tuple[Split, ...] = ("train", "valid", "test")


def drawn(split: Split, limit: int | None = None, seed: int = 0, **options: int) -> list[Pair]:
    return list(islice(PLUGIN(ReverseOptions(**options)).pairs(split, random.Random(seed)), limit))


@given(
    num_letters=st.integers(5, 26),
    lengths=st.tuples(st.integers(5, 12), st.integers(0, 5)),
    split=st.sampled_from(SPLITS),
    seed=st.integers(0, 1000),
)
def test_every_pair_is_a_word_and_the_same_backwards(
    num_letters: int, lengths: tuple[int, int], split: Split, seed: int
) -> None:
    shortest, longest = lengths[0], sum(lengths)
    for pair in drawn(split, 20, seed, num_letters=num_letters, min_length=shortest, max_length=longest):
        assert list(pair.target) == list(reversed(pair.source)) and split_of(pair.source) == split
        assert shortest <= len(pair.source) <= longest
        assert set(pair.source) <= set("abcdefghijklmnopqrstuvwxyz"[:num_letters])


@given(seed=st.integers(0, 1000))
def test_every_letter_is_aligned_with_itself(seed: int) -> None:
    (pair,) = drawn("train", 1, seed)
    assert pair.alignment is not None
    assert [to for _, to in pair.alignment] == list(range(len(pair.target)))
    assert [pair.source[at] for at, _ in pair.alignment] == list(pair.target)
    assert sorted(at for at, _ in pair.alignment) == list(range(len(pair.source)))


def test_a_thousand_words_are_held_out_and_never_trained_on() -> None:
    train = {pair.source for pair in drawn("train", 20_000, num_letters=4, min_length=7, max_length=7)}
    for split in SPLITS[1:]:
        held_out = drawn(split, num_letters=4, min_length=7, max_length=7)
        assert len(held_out) == 1000
        assert train.isdisjoint(pair.source for pair in held_out)


def test_all_letters_are_listed_and_drawn() -> None:
    source, target = PLUGIN(ReverseOptions(num_letters=5)).symbols()
    assert source == target == list("abcde")
    assert {letter for pair in drawn("train", 200, num_letters=5) for letter in pair.source} == set(source)


def test_a_minimum_length_above_the_maximum_is_refused() -> None:
    with pytest.raises(ValueError, match="min_length 13 is above max_length 12"):
        ReverseOptions(min_length=13)


@pytest.mark.parametrize("length", [1, 2, 11, 64])
def test_examples_can_be_read_by_the_model(length: int) -> None:
    plugin = PLUGIN(ReverseOptions(num_letters=3, min_length=1, max_length=length))
    for example in plugin.examples():
        assert len(example) == length and set(example) <= set(plugin.symbols()[0])
