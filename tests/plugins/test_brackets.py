"""Brackets: source and target together are balanced, depth and length within range, no text in two splits."""

import random
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plugin import Pair, Split, split_of
from plugins.brackets import PLUGIN, BracketsOptions, closing_pair

SPLITS: tuple[Split, ...] = ("train", "valid", "test")
KINDS = ("()", "[]", "{}", "<>")


def drawn(split: Split, limit: int | None = None, seed: int = 0, **options: int) -> list[Pair]:
    return list(islice(PLUGIN(BracketsOptions(**options)).pairs(split, random.Random(seed)), limit))


def is_balanced(text: str) -> bool:
    """Remove adjacent matching brackets until nothing is left or none match."""
    shorter = text
    for kind in KINDS:
        shorter = shorter.replace(kind, "")
    return not text or (shorter != text and is_balanced(shorter))


def depths(text: str) -> list[int]:
    opened = [sum(text[: index + 1].count(bracket) for bracket in "([{<") for index in range(len(text))]
    return [2 * num_opened - index - 1 for index, num_opened in enumerate(opened)]


@given(
    num_kinds=st.integers(2, 4),
    lengths=st.tuples(st.integers(7, 16), st.integers(0, 8)),
    max_depth=st.integers(2, 8),
    split=st.sampled_from(SPLITS),
    seed=st.integers(0, 1000),
)
def test_the_target_balances_the_source_within_the_options(
    num_kinds: int, lengths: tuple[int, int], max_depth: int, split: Split, seed: int
) -> None:
    shortest, longest = lengths[0], sum(lengths)
    options = {"num_kinds": num_kinds, "min_length": shortest, "max_length": longest, "max_depth": max_depth}
    for pair in drawn(split, 20, seed, **options):
        assert pair.target and is_balanced(pair.source + pair.target) and split_of(pair.source) == split
        assert set(pair.source + pair.target) <= set("".join(KINDS[:num_kinds]))
        assert set(pair.target) <= set(")]}>")
        assert shortest <= len(pair.source) <= longest
        assert min(depths(pair.source)) >= 0 and max(depths(pair.source)) <= max_depth


def test_targets_equal_those_made_by_hand() -> None:
    assert closing_pair("([]{(") == Pair("([]{(", ")})", alignment=[(4, 0), (3, 1), (0, 2)])
    assert closing_pair("[{}<") == Pair("[{}<", ">]", alignment=[(3, 0), (0, 1)])


@given(seed=st.integers(0, 1000))
def test_every_closing_bracket_is_aligned_with_its_own_opening_one(seed: int) -> None:
    (pair,) = drawn("train", 1, seed)
    assert pair.alignment is not None and [to for _, to in pair.alignment] == list(range(len(pair.target)))
    for at, to in pair.alignment:
        assert pair.source[at] + pair.target[to] in KINDS
        assert is_balanced(pair.source[at:] + pair.target[: to + 1])


def test_a_thousand_texts_are_held_out_and_never_trained_on() -> None:
    train = {pair.source for pair in drawn("train", 20_000, max_length=10)}
    for split in SPLITS[1:]:
        held_out = drawn(split, max_length=10)
        assert len(held_out) == 1000
        assert train.isdisjoint(pair.source for pair in held_out)


def test_all_brackets_are_listed_and_drawn() -> None:
    source, target = PLUGIN(BracketsOptions(num_kinds=4)).symbols()
    pairs = drawn("train", 500, num_kinds=4)
    assert {bracket for pair in pairs for bracket in pair.source} == set(source)
    assert {bracket for pair in pairs for bracket in pair.target} == set(target)


def test_a_minimum_length_above_the_maximum_is_refused() -> None:
    with pytest.raises(ValueError, match="min_length 17 is above max_length 16"):
        BracketsOptions(min_length=17)


@pytest.mark.parametrize("num_kinds", [1, 4])
@pytest.mark.parametrize("max_length", [3, 16, 64])
def test_examples_can_be_read_by_the_model(num_kinds: int, max_length: int) -> None:
    plugin = PLUGIN(BracketsOptions(num_kinds=num_kinds, min_length=1, max_length=max_length))
    assert plugin.examples()
    for example in plugin.examples():
        assert len(example) <= max_length and closing_pair(example).target
        assert max(depths(example)) <= BracketsOptions().max_depth
        assert set(example) <= set(plugin.symbols()[0])
