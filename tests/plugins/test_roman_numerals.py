"""Roman numerals: values checked by a separate reader, letters aligned with digits, no number in two splits."""

import random

import pytest

from core.plugin import Pair, Split, split_of
from plugins.roman_numerals import PLUGIN, RomanOptions, in_roman

SPLITS: tuple[Split, ...] = ("train", "valid", "test")
VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def drawn(split: Split, seed: int = 0, **options: int) -> list[Pair]:
    return list(PLUGIN(RomanOptions(**options)).pairs(split, random.Random(seed)))


def value_of(numeral: str) -> int:
    """Add up the letters, subtracting each one that stands before a larger one."""
    values = [VALUES[letter] for letter in numeral]
    return sum(-one if one < following else one for one, following in zip(values, [*values[1:], 0], strict=False))


def test_well_known_numerals_are_right() -> None:
    known = {"1": "I", "4": "IV", "9": "IX", "40": "XL", "90": "XC", "400": "CD", "888": "DCCCLXXXVIII"}
    known |= {"1954": "MCMLIV", "1990": "MCMXC", "2014": "MMXIV", "3999": "MMMCMXCIX"}
    assert {digits: in_roman(digits).target for digits in known} == known


def test_every_number_is_in_one_split_with_a_numeral_of_its_value() -> None:
    pairs = [pair for split in SPLITS for pair in drawn(split)]
    assert sorted(int(pair.source) for pair in pairs) == list(range(1, 4000))
    assert all(value_of(pair.target) == int(pair.source) for pair in pairs)
    for split in SPLITS:
        assert all(split_of(pair.source) == split for pair in drawn(split))


def test_every_letter_is_aligned_with_the_digit_it_is_part_of() -> None:
    for pair in drawn("valid"):
        assert pair.alignment is not None and [to for _, to in pair.alignment] == list(range(len(pair.target)))
        for index, digit in enumerate(pair.source):
            part = "".join(pair.target[to] for at, to in pair.alignment if at == index)
            assert value_of(part) == int(digit) * 10 ** (len(pair.source) - 1 - index)


def test_numbers_are_at_most_the_maximum_and_ordered_by_the_seed() -> None:
    assert max(int(pair.source) for pair in drawn("train", max_number=100)) <= 100
    assert drawn("valid", seed=0) == drawn("valid", seed=0) != drawn("valid", seed=1)
    assert sorted(drawn("valid", seed=0)) == sorted(drawn("valid", seed=1))


@pytest.mark.parametrize("max_number", [100, 1000, 3999])
def test_examples_can_be_read_by_the_model(max_number: int) -> None:
    examples = PLUGIN(RomanOptions(max_number=max_number)).examples()
    assert examples and all(1 <= int(example) <= max_number for example in examples)
