"""Convert numbers to Roman numerals. It teaches composition: each digit becomes letters independently of the others."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split, option, split_of

NUMERALS = "IVXLCDM"
SHAPES = ("", "0", "00", "000", "01", "1", "10", "100", "1000", "02")
"""How each digit is written: 0 is the one of its place (I, X, C, M), 1 the five (V, L, D), 2 the ten (X, C, M)."""


class RomanOptions(Options):
    max_number: int = option(3999, ge=100, le=3999, help="The largest number; there is no numeral above 3999.")


class RomanNumerals(DatasetPlugin[RomanOptions]):
    """Write a number in Roman numerals. A tenth of all numbers is valid, a tenth test, the rest train.

    What to look for in the trained preset (one layer; figures are shares of a row):

    - cross: stairs. Every head attends to the digit whose letters are being written, 0.5 to 0.7, and moves to the
      next digit when these letters are complete. The heads share the work: two still attend to the digit of the
      previous letter (0.77 and 0.81), one already to that of the next letter (0.68).
    - encoder self: in one head each digit attends to itself (0.71). The other heads attend to `<eos>` and the digits to
      the left: whether a 4 is IV or XL depends on its distance from the end.
    """

    name = "roman_numerals"
    title = "Roman numerals"
    tokenizer = "characters"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        numbers = [number for number in range(1, self.options.max_number + 1) if split_of(str(number)) == split]
        rng.shuffle(numbers)
        yield from (in_roman(str(number)) for number in numbers)

    def examples(self) -> list[str]:
        """Offer the longest numerals, those with subtraction, and the largest number."""
        candidates = [88, 99, 888, 1954, 2014, 3888]
        return [str(number) for number in (*candidates, self.options.max_number) if number <= self.options.max_number]


def in_roman(digits: str) -> Pair:
    """Write a number from 1 to 3999; each letter is aligned with the digit that it belongs to."""
    target, alignment = "", list[tuple[int, int]]()
    for position, digit in enumerate(digits):
        one = 2 * (len(digits) - 1 - position)  # the index in NUMERALS of the one of this place
        for offset in SHAPES[int(digit)]:
            alignment.append((position, len(target)))
            target += NUMERALS[one + int(offset)]
    return Pair(digits, target, alignment=alignment)


PLUGIN = RomanNumerals
