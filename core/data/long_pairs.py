"""Reports a pair far longer than the others, say because of missing line breaks: a batch with it may take minutes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from core.config import DatasetConfig
from core.data.prepared_data import PreparedData
from core.data.splits import SPLITS
from core.data.token_arrays import Int64Array
from core.events import Trouble
from core.faults import note

MIN_TOKENS = 1000
"""Tokens of a text that costs seconds: its whole batch is padded to it, and attention grows with the square."""
MIN_RATIO = 20
"""How many times longer than most it is: sentences and documents of one corpus differ by less, a file that lost its
line breaks by thousands."""
USUAL_QUANTILE = 0.9
"""The share of train pairs that is "most": it leaves out several texts without line breaks, or the one of a few pairs.
With a half, every document in a corpus of words and documents would be far longer than most."""
_MAX_QUOTED = 40  # characters
_KEYS = {"source": "max_src_length", "target": "max_tgt_length"}


def long_pair_notes(data: PreparedData, config: DatasetConfig) -> Iterator[Trouble]:
    """For each side whose length is `auto`, report the longest pair if it is far longer than most.

    Of endless data, the first shard is searched.
    """
    pairs = {split: data.split(split) for split in SPLITS}
    if config.max_src_length == "auto":
        yield from _notes_of_side(data, "source", {split: own.src.lengths for split, own in pairs.items()})
    if config.max_tgt_length == "auto":
        yield from _notes_of_side(data, "target", {split: own.tgt_lengths for split, own in pairs.items()})


def _notes_of_side(data: PreparedData, side: str, lengths: Mapping[str, Int64Array]) -> Iterator[Trouble]:
    split = max(SPLITS, key=lambda one: lengths[one].max())
    index = int(lengths[split].argmax())
    longest = int(lengths[split][index])
    if longest < MIN_TOKENS:
        return
    usual = int(np.quantile(lengths["train"], USUAL_QUANTILE, method="lower"))  # never the longest of several
    if longest < MIN_RATIO * usual:
        return
    counts = {one: int((own >= max(MIN_TOKENS, MIN_RATIO * usual)).sum()) for one, own in lengths.items()}
    counts[split] -= 1
    if counts["test"] and data.is_test_same_as_valid():
        counts["test"] = 0
    more = _more(sum(counts.values()))
    text: str = getattr(data.pair(split, index), side)
    yield note(
        f"Pair {data.pair_number(split, index):,} of the {split} split has {longest:,} {side} tokens, <eos> "
        f"counted; 9 of 10 train pairs have at most {usual:,}. It begins with {text[:_MAX_QUOTED]!r}.{more}",
        f"One batch with it may last minutes. Is a line break missing there? Fix it, or set dataset.{_KEYS[side]}: "
        "longer pairs are left out.",
    )


def _more(others: int) -> str:
    if not others:
        return ""
    return f" {others:,} more {'is' if others == 1 else 'are'} about as long."
