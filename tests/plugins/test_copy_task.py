"""The copy task: targets equal sources, lengths and symbols within range, no sequence in two splits."""

import random
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plugin import Pair, Split, split_of
from plugins.copy_task import PLUGIN, CopyTaskOptions

SPLITS: tuple[Split, ...] = ("train", "valid", "test")


def drawn(split: Split, limit: int | None = None, seed: int = 0, **options: int) -> list[Pair]:
    return list(islice(PLUGIN(CopyTaskOptions.model_validate(options)).pairs(split, random.Random(seed)), limit))


@given(
    num_symbols=st.integers(5, 50),
    lengths=st.tuples(st.integers(5, 12), st.integers(0, 5)),
    fixed_first=st.booleans(),
    split=st.sampled_from(SPLITS),
    seed=st.integers(0, 1000),
)
def test_every_pair_is_a_copy_within_the_options(
    num_symbols: int, lengths: tuple[int, int], fixed_first: bool, split: Split, seed: int
) -> None:
    shortest, longest = lengths[0], sum(lengths)
    options = {"num_symbols": num_symbols, "min_length": shortest, "max_length": longest, "fixed_first": fixed_first}
    for pair in drawn(split, 20, seed, **options):
        symbols = pair.source.split(" ")
        assert pair.target == pair.source and split_of(pair.source) == split
        assert shortest <= len(symbols) <= longest
        assert {int(symbol) for symbol in symbols} <= set(range(1, num_symbols + 1))
        assert symbols[0] == "1" or not fixed_first
        assert pair.alignment == [(index, index) for index in range(len(symbols))]


def test_a_thousand_sequences_are_held_out_and_never_trained_on() -> None:
    train = {pair.source for pair in drawn("train", 20_000, num_symbols=4, min_length=7, max_length=7)}
    for split in SPLITS[1:]:
        held_out = drawn(split, num_symbols=4, min_length=7, max_length=7)
        assert len(held_out) == 1000
        assert train.isdisjoint(pair.source for pair in held_out)


def test_all_symbols_are_listed_and_drawn() -> None:
    source, target = PLUGIN(CopyTaskOptions()).symbols()
    assert source == target == ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]
    assert {symbol for pair in drawn("train", 1000) for symbol in pair.source.split()} == set(source)


def test_too_few_sequences_end_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="too few different sources for a"):
        for split in SPLITS:
            drawn(split, 100, num_symbols=1, min_length=2, max_length=2)


def test_a_minimum_length_above_the_maximum_is_refused() -> None:
    with pytest.raises(ValueError, match="min_length 9 is above max_length 3"):
        CopyTaskOptions(min_length=9, max_length=3)


@pytest.mark.parametrize("length", [1, 2, 10, 30])
def test_examples_can_be_read_by_the_model(length: int) -> None:
    plugin = PLUGIN(CopyTaskOptions(min_length=1, max_length=length))
    for example in plugin.examples():
        assert len(example.split()) == length and set(example.split()) <= set(plugin.symbols()[0])
