"""Sort letters. It teaches global order: the place of each letter depends on all the others."""

import random
from collections.abc import Iterator
from itertools import count
from string import ascii_lowercase

from core.plugin import DatasetPlugin, Options, Pair, Split, draw_for, option

HELD_OUT = 1000


class SortOptions(Options):
    num_letters: int = option(26, ge=1, le=26, label="Letters", help="Different letters a word is made of.")
    min_length: int = option(4, ge=1, le=64, help="Letters in the shortest word.")
    max_length: int = option(12, ge=1, le=64, help="Letters in the longest word.")

    def check(self) -> None:
        if self.min_length > self.max_length:
            raise ValueError(f"min_length {self.min_length} is above max_length {self.max_length}")


class Sort(DatasetPlugin[SortOptions]):
    """Write the letters of a word in alphabetical order. The train split is endless; 1,000 words are held out.

    What to look for in the trained preset (one layer; all four heads do much the same; figures are shares of a row):

    - cross: after writing the letter x, the decoder attends to x and the letters after it in the alphabet, 0.86 to
      0.93, and no longer to letters already written. Half of the row lies on the letter to be written, the rest on x
      itself and on the letter after the next: the choice is among the few nearest.
    - encoder self: nothing as clear, and no sign of sorting. Every letter attends to `<eos>` (0.18 to 0.29), and to
      equal letters a little more (0.15 to 0.19) than by chance (0.1).
    - decoder self: little but `<bos>`, the row's own position and the one before. The last letter written says how far
      the output has come.
    """

    name = "sort"
    title = "Sort letters"
    tokenizer = "characters"
    endless = True

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        for _ in count() if split == "train" else range(HELD_OUT):
            yield draw_for(split, lambda: self._pair(rng))

    def _pair(self, rng: random.Random) -> Pair:
        length = rng.randint(self.options.min_length, self.options.max_length)
        word = "".join(rng.choices(self.symbols()[0], k=length))
        return Pair(word, "".join(sorted(word)), alignment=indices_in_order(word))

    def symbols(self) -> tuple[list[str], list[str]]:
        letters = list(ascii_lowercase[: self.options.num_letters])
        return letters, letters

    def examples(self) -> list[str]:
        """Offer letters in reverse order, sorted ones, and one letter repeated."""
        letters, _ = self.symbols()
        length = self.options.max_length
        ascending = "".join(sorted((letters * length)[:length]))
        return [ascending[::-1], ascending, letters[0] * length]


def indices_in_order(word: str) -> list[tuple[int, int]]:
    """Return (place in the word, place when sorted) for each letter; equal letters keep their order."""
    return [(position, rank) for rank, position in enumerate(sorted(range(len(word)), key=word.__getitem__))]


PLUGIN = Sort
