"""A pair that is far longer than the others, as where line breaks are missing: one batch with it may last minutes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from core.config import DatasetConfig
from core.data.prepared_data import PreparedData
from core.data.splits import SPLITS
from core.data.token_arrays import Places
from core.events import Trouble
from core.faults import note

LEAST = 1000
"""Tokens of a text that costs seconds: all of its batch are padded to it, and attention grows with its square."""
TIMES = 20
"""As many times as long as most others: sentences and documents of one corpus differ by less, a file that lost its line
breaks by thousands."""
MOST = 0.9
"""Several that lost their line breaks are beyond these, and of a few pairs the one. Were it half of them, all documents
of a corpus of words and documents would be, too."""
_QUOTED = 40  # characters
_KEYS = {"source": "max_src_length", "target": "max_tgt_length"}


def told_of_far_longer(data: PreparedData, asked: DatasetConfig) -> Iterator[Trouble]:
    """Say of each side whose length was left to the data which pair is far longer than most of them.

    Of endless data, those of the first shard.
    """
    pairs = {split: data.split(split) for split in SPLITS}
    if asked.max_src_length == "auto":
        yield from _told_of_side(data, "source", {split: own.src.lengths for split, own in pairs.items()})
    if asked.max_tgt_length == "auto":
        yield from _told_of_side(data, "target", {split: own.tgt_lengths for split, own in pairs.items()})


def _told_of_side(data: PreparedData, side: str, lengths: Mapping[str, Places]) -> Iterator[Trouble]:
    split = max(SPLITS, key=lambda one: lengths[one].max())
    index = int(lengths[split].argmax())
    longest = int(lengths[split][index])
    if longest < LEAST:
        return
    usual = int(np.quantile(lengths["train"], MOST, method="lower"))  # never the longest of several
    if longest < TIMES * usual:
        return
    others = {one: int((own >= max(LEAST, TIMES * usual)).sum()) for one, own in lengths.items()}
    others[split] -= 1
    if others["test"] and data.is_test_valid_again():
        others["test"] = 0
    more = _more(sum(others.values()))
    text: str = getattr(data.pair(split, index), side)
    yield note(
        f"Pair {data.number(split, index):,} of the {split} split has {longest:,} {side} tokens, <eos> "
        f"counted; 9 of 10 train pairs have at most {usual:,}. It begins with {text[:_QUOTED]!r}.{more}",
        f"One batch with it may last minutes. Is a line break missing there? Fix it, or set dataset.{_KEYS[side]}: "
        "longer pairs are left out.",
    )


def _more(others: int) -> str:
    if not others:
        return ""
    return f" {others:,} more {'is' if others == 1 else 'are'} about as long."
