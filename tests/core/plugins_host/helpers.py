"""Code of plugins, and helpers that read a host's answers."""

import re
from collections.abc import Callable
from typing import Any

from core.errors import UserError
from core.plugin import Pair
from core.plugins_host.host import PluginHost
from core.plugins_host.plugin_info import PluginInfo
from core.plugins_host.split_drawing import draw_lines

LONG_TIMEOUT = 1000.0  # a timeout in seconds; pytest-timeout fails tests that wait this long
GOOD = """
def pairs(self, split, rng):
    for _ in range(2500 if split == "train" else 10):
        word = "".join(rng.choices("abcdeü", k=self.options.length))
        yield Pair(word, word[::-1], alignment=[(0, 1), (2, 3)])
"""


ENDLESS = """
endless = True
def pairs(self, split, rng):
    while True:
        yield Pair(str(rng.random()), split)
"""


def draw_pairs(host: PluginHost, name: str, split: str = "train", seed: int = 0, **arguments: Any) -> list[Pair]:
    return [pair for lines in draw_lines(host, name, {}, seed, split, **arguments) for pair in lines.pairs()]


def info_of(host: PluginHost, name: str) -> PluginInfo:
    return next(info for info in host.plugins() if info.name == name)


def error_of(ask: Callable[[], object]) -> UserError | None:
    """The error that this call raises, or None."""
    try:
        ask()
    except UserError as error:
        return error
    return None


def seconds_waited(sentence: str) -> int | None:
    """The seconds in the sentence of a timeout, which are more on a busy machine; None for another error."""
    found = re.search(r"gave no answer within (\d+) s", sentence)
    return None if found is None else int(found[1])
