"""Write a word backwards. It teaches positions: only the place of a letter matters, not which letter it is."""

import random
from collections.abc import Iterator
from itertools import count
from string import ascii_lowercase

from core.plugin import DatasetPlugin, Options, Pair, Split, draw_for, option

HELD_OUT = 1000


class ReverseOptions(Options):
    num_letters: int = option(26, ge=1, le=26, label="Letters", help="Different letters a word is made of.")
    min_length: int = option(4, ge=1, le=64, help="Letters in the shortest word.")
    max_length: int = option(12, ge=1, le=64, help="Letters in the longest word.")

    def check(self) -> None:
        if self.min_length > self.max_length:
            raise ValueError(f"min_length {self.min_length} is above max_length {self.max_length}")


class Reverse(DatasetPlugin[ReverseOptions]):
    """Write a word backwards. The train split is endless; 1,000 words are held out.

    What to look for in the trained preset (one layer; the heads that do it differ between seeds):

    - cross: three of four heads draw a line from the upper right to the lower left. They put 0.89 of a row on the
      letter to be written, and it is the brightest in every row. The fourth head has no such line.
    - encoder self: a bright column at `<eos>`, 0.2 to 0.6 of each row. Counting from the end requires knowing where
      the end is.
    - decoder self: a bright column at `<bos>`, and the row's own position. Earlier output hardly matters.
    """

    name = "reverse"
    title = "Reverse a word"
    tokenizer = "characters"
    endless = True

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        for _ in count() if split == "train" else range(HELD_OUT):
            yield draw_for(split, lambda: self._pair(rng))

    def _pair(self, rng: random.Random) -> Pair:
        length = rng.randint(self.options.min_length, self.options.max_length)
        word = "".join(rng.choices(self.symbols()[0], k=length))
        return Pair(word, word[::-1], alignment=[(length - 1 - position, position) for position in range(length)])

    def symbols(self) -> tuple[list[str], list[str]]:
        letters = list(ascii_lowercase[: self.options.num_letters])
        return letters, letters

    def examples(self) -> list[str]:
        """Offer letters in order, a palindrome, and one letter repeated."""
        letters, _ = self.symbols()
        length = self.options.max_length
        ascending = "".join((letters * length)[:length])
        half = ascending[: (length + 1) // 2]
        return [ascending, half + half[: length // 2][::-1], letters[0] * length]


PLUGIN = Reverse
