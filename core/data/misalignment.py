"""Reports alignments that point past the end of their pair, say because a plugin counts from 1: they are ignored."""

from __future__ import annotations

from collections.abc import Iterator

from core.data.prepared_data import PreparedData
from core.events import Trouble
from core.faults import note

_NUM_CHECKED = 100
"""Pairs at the beginning of the valid split, those that probes follow among them."""


def misalignment_notes(data: PreparedData, plugin: str) -> Iterator[Trouble]:
    """Report the first such pair and link; nothing if another tokenizer than the plugin's own is used."""
    split = data.split("valid")
    for index in range(min(_NUM_CHECKED, len(split)) if data.alignments_fit else 0):
        num_src, num_tgt = int(split.src.lengths[index]) - 1, int(split.tgt_lengths[index]) - 1  # without <eos>
        for src, tgt in data.pair("valid", index).alignment or ():
            if src >= num_src or tgt >= num_tgt:
                yield note(
                    f"Pair {data.pair_number('valid', index):,} of the valid split has {num_src} source and {num_tgt} "
                    f"target tokens, but plugin {plugin!r} aligns {src, tgt}: such links are ignored.",
                    f"Count tokens, as the tokenizer cuts them, from 0. `plugins check {plugin}` looks at all pairs.",
                )
                return
