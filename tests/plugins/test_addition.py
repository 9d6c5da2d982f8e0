"""Addition: sums are right, digits aligned by place value, numbers within range, no sum in two splits."""

import random
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plugin import Pair, Split, split_of
from plugins.addition import PLUGIN, AdditionOptions, sum_pair

SPLITS: tuple[Split, ...] = ("train", "valid", "test")


def drawn(split: Split, limit: int | None = None, seed: int = 0, **options: int) -> list[Pair]:
    return list(islice(PLUGIN(AdditionOptions.model_validate(options)).pairs(split, random.Random(seed)), limit))


@given(
    num_digits=st.integers(2, 12), units_first=st.booleans(), split=st.sampled_from(SPLITS), seed=st.integers(0, 1000)
)
def test_every_target_is_the_sum(num_digits: int, units_first: bool, split: Split, seed: int) -> None:
    for pair in drawn(split, 20, seed, num_digits=num_digits, units_first=units_first):
        left, right = pair.source.split("+")
        total = pair.target[::-1] if units_first else pair.target
        assert total == str(int(left) + int(right)) and split_of(pair.source) == split
        for number in (left, right):
            assert number == str(int(number)) and len(number) <= num_digits


def test_alignments_equal_those_made_by_hand() -> None:
    assert sorted(sum_pair(95, 7, units_first=False).alignment or ()) == [(0, 1), (1, 2), (3, 2)]
    assert sorted(sum_pair(95, 7, units_first=True).alignment or ()) == [(0, 1), (1, 0), (3, 0)]
    assert sorted(sum_pair(1, 2, units_first=False).alignment or ()) == [(0, 0), (2, 0)]


@given(left=st.integers(0, 10**9), right=st.integers(0, 10**9), units_first=st.booleans())
def test_each_digit_is_aligned_with_the_digit_of_its_place_value(left: int, right: int, units_first: bool) -> None:
    pair = sum_pair(left, right, units_first=units_first)
    value_of_target = range(len(pair.target)) if units_first else range(len(pair.target) - 1, -1, -1)
    end_of_left = pair.source.index("+")
    assert pair.alignment is not None
    for at, to in pair.alignment:
        end = end_of_left if at < end_of_left else len(pair.source)
        assert end - 1 - at == value_of_target[to]
    assert sorted(at for at, _ in pair.alignment) == [at for at in range(len(pair.source)) if at != end_of_left]


def test_a_thousand_sums_are_held_out_and_never_trained_on() -> None:
    train = {pair.source for pair in drawn("train", 20_000, num_digits=2)}
    for split in SPLITS[1:]:
        held_out = drawn(split, num_digits=2)
        assert len(held_out) == 1000
        assert train.isdisjoint(pair.source for pair in held_out)


def test_all_characters_are_listed() -> None:
    source, target = PLUGIN(AdditionOptions()).symbols()
    pairs = drawn("train", 500)
    assert {character for pair in pairs for character in pair.source} == set(source)
    assert {character for pair in pairs for character in pair.target} == set(target)


@pytest.mark.parametrize("num_digits", [1, 3, 12])
def test_examples_can_be_read_by_the_model(num_digits: int) -> None:
    for example in PLUGIN(AdditionOptions(num_digits=num_digits)).examples():
        assert all(number.isdecimal() and len(number) <= num_digits for number in example.split("+"))
