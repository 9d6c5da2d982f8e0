"""Compares speeds: all contenders take turns, and only figures of the same round are divided by each other."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch


class Entry(NamedTuple):
    """A contender under one setting; one with several settings is compared under its fastest."""

    name: str
    setting: str = ""


Seconds = dict[Entry, list[float]]
"""For each round, the median seconds of one run."""


_PAUSE_SECONDS = 0.05


def _nothing() -> None:
    pass


@dataclass(frozen=True)
class Contender:
    """Something to time, with so many torch threads: `before` is called before each `run`, and is not timed."""

    run: Callable[[], object]
    threads: int = 1
    before: Callable[[], object] = _nothing


class Spread(NamedTuple):
    """The median of some figures, and the quartiles around it."""

    median: float
    low: float
    high: float


def take_turns(contenders: Mapping[Entry, Contender], *, rounds: int, repeats: int = 1, warm_up: int = 1) -> Seconds:
    """Time everyone `repeats` times a round; the one that begins changes, so that nobody always follows the same one.

    The first `warm_up` rounds are not counted: caches, thread pools and the allocator settle in them. Between two turns
    there is a pause, since idle threads spin for some 20 ms, including those of CTranslate2's process.
    """
    entries = list(contenders)
    seconds: Seconds = {entry: [] for entry in entries}
    for number in range(warm_up + rounds):
        first = number % len(entries)
        for entry in entries[first:] + entries[:first]:
            time.sleep(_PAUSE_SECONDS)
            taken = float(np.median([_timed(contenders[entry]) for _ in range(repeats)]))
            if number >= warm_up:
                seconds[entry].append(taken)
    return seconds


def _timed(contender: Contender) -> float:
    torch.set_num_threads(contender.threads)
    contender.before()
    started = time.perf_counter()
    contender.run()
    return time.perf_counter() - started


def spread(figures: Sequence[float]) -> Spread:
    """Median and quartiles."""
    low, median, high = np.percentile(figures, [25, 50, 75])
    return Spread(float(median), float(low), float(high))


def ratio(seconds: Seconds, slow: Entry, fast: Entry) -> Spread:
    """How many times as fast as `slow` `fast` is, divided round by round."""
    return spread([one / other for one, other in zip(seconds[slow], seconds[fast], strict=True)])


def fastest(seconds: Seconds) -> dict[str, Entry]:
    """For each name, the entry with the smallest median."""
    best: dict[str, Entry] = {}
    for entry, taken in seconds.items():
        known = best.get(entry.name)
        if known is None or np.median(taken) < np.median(seconds[known]):
            best[entry.name] = entry
    return best
