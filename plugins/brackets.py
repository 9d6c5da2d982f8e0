"""Close the open brackets: `([]{(` becomes `)})`. It teaches depth: the last bracket opened is closed first."""

import random
from collections.abc import Iterator
from itertools import count

from core.plugin import DatasetPlugin, Options, Pair, Split, draw_for, option

HELD_OUT = 1000
CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


class BracketsOptions(Options):
    num_kinds: int = option(3, ge=1, le=4, label="Kinds", help="Kinds of brackets: the first so many of ( [ { <.")
    min_length: int = option(6, ge=1, le=64, help="Brackets in the shortest source.")
    max_length: int = option(16, ge=1, le=64, help="Brackets in the longest source.")
    max_depth: int = option(6, ge=2, le=32, help="The most brackets open at once.")

    def check(self) -> None:
        if self.min_length > self.max_length:
            raise ValueError(f"min_length {self.min_length} is above max_length {self.max_length}")


class Brackets(DatasetPlugin[BracketsOptions]):
    """Close all brackets that are still open, the innermost first. The train split is endless; 1,000 are held out.

    What to look for in the trained preset (two layers; figures are shares of a row):

    - cross, layer 2: in every head, each row attends to the opening bracket that it closes, 0.73 to 0.76. From row to
      row this moves to the left, past all brackets that are closed. Three heads of layer 1 begin this, 0.37 to 0.45.
    - encoder self: nothing as clear. Brackets must be matched to tell which are open, but the work is spread over many
      places. It is clearest in a head of layer 2, where an opening bracket attends to the bracket that closes it,
      0.25 (by chance: 0.09).
    - decoder self: `<bos>` and the row's own position. The number already closed says which bracket comes next.
    """

    name = "brackets"
    title = "Close the brackets"
    tokenizer = "characters"
    endless = True

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        for _ in count() if split == "train" else range(HELD_OUT):
            yield draw_for(split, lambda: closing_pair(self._draw(rng)))

    def _draw(self, rng: random.Random) -> str:
        """Open or close at random, and leave at least one open at the end, so that there is something to write."""
        length = rng.randint(self.options.min_length, self.options.max_length)
        opening, _ = self._kinds()
        text, still_open = "", list[str]()
        for position in range(1, length + 1):
            may_open = len(still_open) < self.options.max_depth
            may_close = len(still_open) > (1 if position == length else 0)
            if may_open and (not may_close or rng.random() < 0.5):
                still_open.append(rng.choice(opening))
                text += still_open[-1]
            else:
                text += CLOSING[still_open.pop()]
        return text

    def _kinds(self) -> tuple[list[str], list[str]]:
        kinds = list(CLOSING)[: self.options.num_kinds]
        return kinds, [CLOSING[kind] for kind in kinds]

    def symbols(self) -> tuple[list[str], list[str]]:
        opening, closing = self._kinds()
        return opening + closing, closing

    def examples(self) -> list[str]:
        """Offer only opening brackets, adjacent pairs before an open one, and nested pairs inside an open one."""
        opening, closing = self._kinds()
        depth = min(self.options.max_depth, self.options.max_length)
        num_pairs = (self.options.max_length - 1) // 2
        num_inside = min(num_pairs, self.options.max_depth - 1)
        return [
            "".join((opening * depth)[:depth]),
            (opening[0] + closing[0]) * num_pairs + opening[-1],
            opening[-1] + opening[0] * num_inside + closing[0] * num_inside,
        ]


def closing_pair(text: str) -> Pair:
    """Write what closes `text`; each closing bracket is aligned with its own opening one."""
    still_open = list[int]()  # places in the text
    for position, bracket in enumerate(text):
        if bracket in CLOSING:
            still_open.append(position)
        else:
            still_open.pop()
    innermost_first = still_open[::-1]
    target = "".join(CLOSING[text[position]] for position in innermost_first)
    return Pair(text, target, alignment=[(position, rank) for rank, position in enumerate(innermost_first)])


PLUGIN = Brackets
