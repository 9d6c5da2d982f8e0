"""Add two numbers. It teaches the carry: a digit depends on all that are to its right."""

import random
from collections.abc import Iterator
from itertools import count
from string import digits

from core.plugin import DatasetPlugin, Options, Pair, Split, draw_for, option

HELD_OUT = 1000


class AdditionOptions(Options):
    num_digits: int = option(3, ge=1, le=12, label="Digits", help="Digits of the longest number.")
    units_first: bool = option(False, help="Write the sum from the right, as it is worked out by hand.")


class Addition(DatasetPlugin[AdditionOptions]):
    """Add two numbers. Training sums never end; 1,000 are held out.

    With `units_first` the sum is written as it is worked out by hand, from the right, and each carry is known when it
    is needed. Without, its first digit needs them all.

    What to look for when the preset has learned (two layers, the sum written from the left):

    - cross, layer 2: all heads lie on the two digits of the row's own column, 1.00 of it.
    - cross, layer 1: one head looks at the column to the right, 0.83 of a row. From there the carry comes.
    - encoder self, layer 2: in one head every digit looks at the one below or above it in the other number, 1.00 of a
      row, so both already know their sum; another looks at the next smaller column, 0.49.
    - encoder self, layer 1: `+` and `<eos>` are bright columns, the ends of the two numbers. From there it is counted
      which digit is a unit and which a ten.

    With other seeds (0, 2) the same ways are found, less cleanly, and the carry may be fetched in layer 2.
    """

    name = "addition"
    title = "Add two numbers"
    tokenizer = "characters"
    endless = True

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        for _ in count() if split == "train" else range(HELD_OUT):
            yield draw_for(split, lambda: self._pair(rng))

    def _pair(self, rng: random.Random) -> Pair:
        """Draw long numbers more often: there are so few short sums that they would come again and again."""
        widths = range(1, self.options.num_digits + 1)
        left, right = (rng.randrange(10**width) for width in rng.choices(widths, weights=widths, k=2))
        return added(left, right, units_first=self.options.units_first)

    def symbols(self) -> tuple[list[str], list[str]]:
        return list(digits + "+"), list(digits)

    def examples(self) -> list[str]:
        """Offer a sum without a carry, one with a carry through all digits, and the same the other way round."""
        width = self.options.num_digits
        return ["1" * width + "+" + "2" * width, "9" * width + "+1", "1+" + "9" * width]


def added(left: int, right: int, *, units_first: bool) -> Pair:
    """Write the sum. Units are aligned with units and tens with tens; a last carry has no digits above it."""
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
