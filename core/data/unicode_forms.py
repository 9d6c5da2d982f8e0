"""Reports held-out texts that write accents in the other Unicode form: what looks the same is then other tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from unicodedata import is_normalized, normalize

from core.data.prepared_data import PreparedData
from core.data.splits import HELD_OUT
from core.events import Trouble
from core.faults import note

_NUM_CHECKED = 300
"""Pairs at the beginning of each split: reading them takes a hundredth of a second."""
_MIN_TEXTS = 10
"""So many texts with accents are in both splits: a few may have been copied from elsewhere."""
_NEARLY_ALL = 0.9
"""The share of texts in one form, and in the other split in the other: with less, the forms are mixed in both."""


def unicode_form_notes(data: PreparedData) -> Iterator[Trouble]:
    """Report the first held-out split and side in the other form than the train split's."""
    train = _composed_shares(data, "train")
    for split in HELD_OUT:
        for side, share in _composed_shares(data, split).items():
            if side in train and min(train[side], share) <= 1 - _NEARLY_ALL and max(train[side], share) >= _NEARLY_ALL:
                has_option = "normalisation" in data.dataset.options
                forms = ("one character", "two") if train[side] > share else ("two characters", "one")
                remedy = "Set dataset.options.normalisation: NFC" if has_option else "Write all texts in Unicode's NFC"
                yield note(
                    f"A letter with its accent is {forms[0]} in the train {side}s and {forms[1]} in those of {split}: "
                    "they look the same, and are different tokens.",
                    f"{remedy}, so that all are one character.",
                )
                return


def _composed_shares(data: PreparedData, split: str) -> dict[str, float]:
    """By side: the share of NFC among the texts that differ in NFC and NFD; without a side that has too few."""
    pairs = [data.pair(split, index) for index in range(min(_NUM_CHECKED, len(data.split(split))))]
    sides = {"source": _accented(pair.source for pair in pairs), "target": _accented(pair.target for pair in pairs)}
    return {
        side: sum(is_normalized("NFC", text) for text in texts) / len(texts)
        for side, texts in sides.items()
        if len(texts) >= _MIN_TEXTS
    }


def _accented(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if not text.isascii() and normalize("NFC", text) != normalize("NFD", text)]
