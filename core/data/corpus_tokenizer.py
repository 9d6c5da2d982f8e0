"""Writes the ids of all splits to disk while pairs are drawn, before it is known which tokens are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from core.data.array_file import map_values, read_blocks
from core.data.encoding import TextEncoder, encode_pairs
from core.data.token_arrays import IDS_SUFFIX, token_writer
from core.data.vocabulary import GrowingVocabulary, Vocabulary
from core.data.vocabulary_builder import VocabularyBuilder
from core.events import Progress
from core.plugins_host.pair_lines import PairLines

_NAMES = {"src": "source", "tgt": "target"}


class CorpusTokenizer:
    """Gives each new token the next id, so that texts are cut only once; `finish` replaces these by the final ids."""

    def __init__(self, folder: Path, builder: VocabularyBuilder) -> None:
        self._folder, self._builder = folder, builder
        self._growing = {side: GrowingVocabulary() for side in _NAMES}
        self._src = TextEncoder(builder.src_tokenizer, self._growing["src"])
        self._tgt = TextEncoder(builder.tgt_tokenizer, self._growing["tgt"])
        self._splits: list[str] = []

    @contextmanager
    def split(self, name: str) -> Iterator[Callable[[PairLines], None]]:
        """Gives a function that takes the split's pairs, chunk by chunk."""
        self._splits.append(name)
        stem = str(self._folder / name)
        with token_writer(Path(f"{stem}.src")) as add_src, token_writer(Path(f"{stem}.tgt")) as add_tgt:

            def append(lines: PairLines) -> None:
                fields = lines.fields()
                arrays = encode_pairs([one[0] for one in fields], [one[1] for one in fields], self._src, self._tgt)
                add_src(arrays.src)
                add_tgt(arrays.tgt)

            yield append

    def finish(self) -> Generator[Progress, None, tuple[Vocabulary, Vocabulary]]:
        """Choose the vocabularies from the train split, and rewrite every split's ids with them."""
        src_counts = yield from self._counts("src")
        tgt_counts = yield from self._counts("tgt")
        src, tgt = self._builder.build(src_counts, tgt_counts)
        for side, vocabulary in (("src", src), ("tgt", tgt)):
            new_ids = self._growing[side].ids_in(vocabulary)
            for split in self._splits:
                for done, total in map_values(self._ids(split, side), new_ids):
                    yield Progress(stage=f"numbering {split} {_NAMES[side]} tokens", done=done, total=total)
        return src, tgt

    def _counts(self, side: str) -> Generator[Progress, None, Counter[str]]:
        """How often each token occurs in the train split."""
        growing, done = self._growing[side], 0
        counts = np.zeros(len(growing), dtype=np.int64)
        for ids, total in read_blocks(self._ids("train", side)):
            counts += np.bincount(ids, minlength=len(growing))
            done += len(ids)
            yield Progress(stage=f"counting {_NAMES[side]} tokens", done=done, total=total)
        return growing.counts_by_token(counts)

    def _ids(self, split: str, side: str) -> Path:
        return self._folder / f"{split}.{side}{IDS_SUFFIX}"
