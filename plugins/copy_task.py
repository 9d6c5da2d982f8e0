"""The copy task: write the source again. The smallest task for an encoder-decoder.

With num_symbols 10, lengths 10 to 10 and the first symbol fixed, it is the task of the Annotated Transformer.
"""

import random
from collections.abc import Iterator
from itertools import count

from core.plugin import DatasetPlugin, Options, Pair, Split, draw_for, option

HELD_OUT = 1000


class CopyTaskOptions(Options):
    num_symbols: int = option(10, ge=1, le=1000, label="Symbols", help="Different symbols a sequence is made of.")
    min_length: int = option(10, ge=1, le=200, help="Symbols in the shortest sequence.")
    max_length: int = option(10, ge=1, le=200, help="Symbols in the longest sequence.")
    fixed_first: bool = option(False, help="Start every sequence with 1, as the Annotated Transformer does.")

    def check(self) -> None:
        if self.min_length > self.max_length:
            raise ValueError(f"min_length {self.min_length} is above max_length {self.max_length}")


class CopyTask(DatasetPlugin[CopyTaskOptions]):
    """Copy a sequence of symbols. The train split is endless; 1,000 sequences are held out.

    What to look for in the preset (one layer; seeds 0 and 1; figures are shares of a row):

    - cross: in the end every head draws the diagonal, 0.78 to 0.99 on the symbol to be written. What the weakest head
      lacks lies beside it, most of it on the symbol before.
    - The diagonal comes suddenly. Until step 45 the loss falls slowly, to 2.0, and no head has more than 0.2 there; at
      step 75 the loss is below 0.3, and every head has 0.5 or more.
    - encoder self: nothing as clear. Rows stay spread out, at most 0.35 in one place.
    - decoder self: in one or two heads a bright column at `<bos>`, 0.71 to 0.83. The others attend to the row's own
      position, 0.34 to 0.43, and to the one before, 0.17 to 0.25.
    """

    name = "copy_task"
    title = "Copy a sequence"
    tokenizer = "whitespace"
    endless = True

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        vocabulary, _ = self.symbols()
        for _ in count() if split == "train" else range(HELD_OUT):
            yield draw_for(split, lambda: self._pair(vocabulary, rng))

    def _pair(self, vocabulary: list[str], rng: random.Random) -> Pair:
        symbols = rng.choices(vocabulary, k=rng.randint(self.options.min_length, self.options.max_length))
        if self.options.fixed_first:
            symbols[0] = vocabulary[0]
        text = " ".join(symbols)
        return Pair(text, text, alignment=[(position, position) for position in range(len(symbols))])

    def symbols(self) -> tuple[list[str], list[str]]:
        vocabulary = [str(symbol) for symbol in range(1, self.options.num_symbols + 1)]
        return vocabulary, vocabulary

    def examples(self) -> list[str]:
        """Offer symbols in order, in reverse, and one symbol repeated."""
        vocabulary, _ = self.symbols()
        length = self.options.max_length
        ascending = [vocabulary[position % len(vocabulary)] for position in range(length)]
        return [" ".join(ascending), " ".join([vocabulary[0], *ascending[:0:-1]]), " ".join(vocabulary[:1] * length)]


PLUGIN = CopyTask
