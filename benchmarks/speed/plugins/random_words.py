"""Random words in sentences of one length: data of an exact size for the benchmarks, with no parameters."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split, option

HELD_OUT = 128
"""The number of pairs in the valid split, and in the test split."""


class RandomWordsOptions(Options):
    num_words: int = option(16, ge=1, help="Different words; the train split has them all.")
    length: int = option(5, ge=1, help="Words in every sentence.")
    num_pairs: int = option(32, ge=1, help="Pairs of the train split.")


class RandomWords(DatasetPlugin[RandomWordsOptions]):
    """Sentences of random words, each with another such sentence as its target."""

    name = "random_words"
    title = "Random words"
    tokenizer = "whitespace"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        """Deal the words like cards, each side from its own deck, so that no word is left out."""
        src, tgt = self._deal(rng), self._deal(rng)
        for _ in range(self.options.num_pairs if split == "train" else HELD_OUT):
            yield Pair(self._sentence(src), self._sentence(tgt))

    def _sentence(self, cards: Iterator[int]) -> str:
        return " ".join(f"w{next(cards)}" for _ in range(self.options.length))

    def _deal(self, rng: random.Random) -> Iterator[int]:
        deck = list(range(self.options.num_words))
        while True:
            rng.shuffle(deck)
            yield from deck


PLUGIN = RandomWords
