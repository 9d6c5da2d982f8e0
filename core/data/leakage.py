"""Finds held-out sources that are trained on too, say because a corpus was split by pairs or a wrong file was named."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import islice
from pathlib import Path

from core.data.pair_texts import read_pair_lines
from core.data.prepared_data import PreparedData
from core.data.splits import HELD_OUT
from core.events import Progress, Trouble
from core.faults import note

MIN_LEAKED, MIN_SHARE = 5, 0.1
"""How many leaked sources, and what share, are worth a note: any two parts of a corpus share a few short sentences, a
file and its copy share all."""
_CHUNKS = 10
"""How many chunks of a thousand pairs of a held-out split are compared: a tenth of a large corpus would fill memory."""

Leaked = dict[str, tuple[int, int]]  # held-out split -> sources that are in the train split too, of how many


def count_leaked_sources(folder: Path) -> Generator[Progress, None, Leaked]:
    """Count them in the drawn pairs. The train split is read once, undecoded: a twentieth of the time to prepare it."""
    chunks = {split: islice(read_pair_lines(folder / split), _CHUNKS) for split in HELD_OUT}
    wanted = {split: {one for lines in some for one in lines.quoted_sources()} for split, some in chunks.items()}
    found: dict[str, set[bytes]] = {split: set() for split in HELD_OUT}
    done = 0
    for lines in read_pair_lines(folder / "train"):
        sources = lines.quoted_sources()
        for split, own in wanted.items():
            found[split] |= own.intersection(sources)
        done += len(lines)
        yield Progress(stage="comparing train and held-out pairs", done=done, total=None)
    return {split: (len(found[split]), len(own)) for split, own in wanted.items()}


def leakage_notes(data: PreparedData) -> Iterator[Trouble]:
    """Report each held-out split of which much is trained on; a test split that is the valid split is not repeated."""
    for split, (num, of) in data.leaked.items():
        if num < max(MIN_LEAKED, MIN_SHARE * of) or (split == "test" and data.is_test_same_as_valid()):
            continue
        yield note(
            f"{'All' if num == of else f'{num:,} of'} {of:,} {split} sources are in the train split too.",
            "Its metrics measure what was memorised, not what was learned. Name another file, or take these pairs out "
            "of the train split; the window's Data view lists some.",
        )
