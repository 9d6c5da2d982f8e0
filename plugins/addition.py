"""Add two numbers. It teaches the carry: each digit depends on all digits to its right."""

import random
from collections.abc import Iterator
from itertools import count
from string import digits

from core.plugin import DatasetPlugin, Options, Pair, Split, draw_for, option

HELD_OUT = 1000


class AdditionOptions(Options):
    num_digits: int = option(3, ge=1, le=12, label="Digits", help="Digits of the longest number.")
    units_first: bool = option(False, help="Write the sum from the right, as in adding by hand.")


class Addition(DatasetPlugin[AdditionOptions]):
    """Add two numbers. The train split is endless; 1,000 sums are held out.

    With `units_first` the sum is written from the right, as in adding by hand, so each carry is known when it is
    needed. Without it, the first digit of the sum depends on all carries.

    What to look for in the trained preset (two layers, the sum written from the left; figures are shares of a row):

    - cross, layer 2: three heads attend to the two digits in the column of the digit to be written, 1.00; the fourth
      has 0.70 there.
    - cross, layer 1: one head attends to the column to the right, 0.75. That is where the carry comes from.
    - encoder self, layer 2: in one head every digit attends to the digit above or below it in the other number, 1.00,
      so both know their sum; another head attends to the next smaller column, 0.29.
    - encoder self, layer 1: `<eos>` and `+`, the ends of the two numbers, are bright columns, up to 1.00 and 0.40. The
      place value of a digit is counted from there.

    Other seeds and other processors find other ways: with seed 2, a head of encoder self, layer 2, fetches the carry
    from the next smaller column, 1.00.
    """

    name = "addition"
    title = "Add two numbers"
    tokenizer = "characters"
    endless = True

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        for _ in count() if split == "train" else range(HELD_OUT):
            yield draw_for(split, lambda: self._pair(rng))

    def _pair(self, rng: random.Random) -> Pair:
        """Draw long numbers more often: there are so few short sums that they would be repeated again and again."""
        widths = range(1, self.options.num_digits + 1)
        left, right = (rng.randrange(10**width) for width in rng.choices(widths, weights=widths, k=2))
        return sum_pair(left, right, units_first=self.options.units_first)

    def symbols(self) -> tuple[list[str], list[str]]:
        return list(digits + "+"), list(digits)

    def examples(self) -> list[str]:
        """Offer a sum without a carry, one with a carry through all digits, and the same the other way round."""
        width = self.options.num_digits
        return ["1" * width + "+" + "2" * width, "9" * width + "+1", "1+" + "9" * width]


def sum_pair(left: int, right: int, *, units_first: bool) -> Pair:
    """Write the sum. Units are aligned with units and tens with tens; a final carry has no digits above it."""
    source, total = f"{left}+{right}", str(left + right)
    ends = len(str(left)), len(source)
    starts = 0, len(str(left)) + 1
    alignment = [
        (end - 1 - power, power if units_first else len(total) - 1 - power)
        for power in range(len(total))
        for start, end in zip(starts, ends, strict=True)
        if end - 1 - power >= start
    ]
    return Pair(source, total[::-1] if units_first else total, alignment=alignment)


PLUGIN = Addition
