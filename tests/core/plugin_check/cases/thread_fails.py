"""A thread of its own fails, and the pairs arrive all the same."""

import random
import threading
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split, split_of


def read() -> None:
    raise LookupError("no such word")


class Broken(DatasetPlugin[Options]):
    name = "thread_fails"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        reader = threading.Thread(target=read)
        reader.start()
        reader.join()
        made = 0
        while made < 100:
            word = "".join(rng.choices("abcdef", k=6))
            if split_of(word) == split:
                made += 1
                yield Pair(word, word[::-1])


PLUGIN = Broken
