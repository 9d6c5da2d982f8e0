"""Finds targets with the character that subwords write for a space, say because texts were cut into pieces before."""

from __future__ import annotations

from collections.abc import Iterator

from core.data.prepared_data import PreparedData
from core.data.subwords import WORD_BEGINS
from core.events import Trouble
from core.faults import note
from core.plugins_host.pair_lines import PairLines

_ESCAPED = rb"\u2581"  # as the lines hold it, where it may also be a text of a backslash and five letters


def count_marked_targets(lines: PairLines) -> int:
    """How many targets hold the character; lines without it are not decoded."""
    return sum(WORD_BEGINS in target for _, target, _ in lines.fields()) if _ESCAPED in lines.lines else 0


def space_mark_notes(data: PreparedData) -> Iterator[Trouble]:
    """Report the first split with such targets, if they are cut into subwords."""
    split = next((split for split, num in data.marked_targets.items() if num), None)
    if split is not None:
        num = data.marked_targets[split]
        yield note(
            f"{num:,} {split} target{' holds' if num == 1 else 's hold'} {WORD_BEGINS} (U+2581), which subwords write "
            "for a space: outputs have a space there.",
            "If the texts are cut into pieces already, set dataset.tokenizer.tgt: whitespace; otherwise replace it.",
        )
