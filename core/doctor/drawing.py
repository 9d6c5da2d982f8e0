"""Draws a plugin's pairs within bounds, and keeps what the checks look at."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.config import TokenizerConfig
from core.data.choosing_tokens import subwords_of
from core.data.learning_subwords import learn_subwords
from core.data.pair_texts import write_pairs
from core.data.splits import HELD_OUT
from core.data.tokenizers import Tokenizer, make_tokenizer
from core.data.vocabulary import as_listed
from core.doctor.findings import Bounds
from core.events import Progress
from core.plugin import Pair
from core.plugins_host.errors import PluginError
from core.plugins_host.host import ENDLESS_REMEDY, HELD_OUT_ENDLESS_REMEDY, PluginHost
from core.plugins_host.pair_lines import PairLines, lines_of
from core.plugins_host.plugin_info import PluginInfo

SAMPLE = 20_000
SAMPLE_CHARACTERS = 2_000_000
"""How many pairs and characters of each split the checks look at; later pairs are counted and searched for leaks."""
SHARDS = 5
"""How many shards of endless data are compared with the held-out splits."""
REPEATED = 5_000
"""How many pairs of each split are drawn again, to see whether they stay the same."""

Tokens = list[list[str]]
Tell = Callable[[str, int], None]
"""Reports progress: the stage, and how much of it is done."""


@dataclass(frozen=True, kw_only=True)
class DrawnSplit:
    """The first pairs of a split, and their tokens."""

    pairs: list[Pair]
    num_pairs: int | None  # None: endless
    sources: set[int] = field(default_factory=set)  # of a held-out split: hashes of all its quoted sources
    in_train: set[bytes] = field(default_factory=set)  # the quoted sources that the train split has too
    src_tokens: Tokens = field(default_factory=list)
    tgt_tokens: Tokens = field(default_factory=list)

    @cached_property
    def repeatable(self) -> PairLines:
        """The first pairs as lines, to compare with a second draw."""
        return lines_of(self.pairs[:REPEATED])


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A plugin, all its options, and the splits drawn with them."""

    host: PluginHost
    info: PluginInfo
    options: dict[str, Any]
    src_tokenizer: Tokenizer
    tgt_tokenizer: Tokenizer
    splits: dict[str, DrawnSplit]
    symbols: tuple[list[str], list[str]] | None  # None: finite data, or symbols() lists none

    @property
    def vocabularies(self) -> tuple[list[str], list[str]]:
        """The source and target tokens in the vocabulary of a model trained on this data."""
        train = self.splits["train"]
        src, tgt = self.symbols or (chain.from_iterable(train.src_tokens), chain.from_iterable(train.tgt_tokens))
        return subwords_of(self.src_tokenizer) or as_listed(src), subwords_of(self.tgt_tokenizer) or as_listed(tgt)

    def again(self, host: PluginHost, split: str, seed: int = 0) -> PairLines:
        """Draw the `repeatable` pairs of a split again, and any that follow if it ended before REPEATED pairs."""
        first = self.splits[split]
        most = REPEATED if first.num_pairs == len(first.pairs) else len(first.repeatable)
        chunks = list(host.lines(self.info.name, self.options, seed, split, limit=most))
        return PairLines(b"".join(chunk.lines for chunk in chunks), sum(map(len, chunks)))

    @cached_property
    def has_another_train_split(self) -> bool:
        """Whether another seed gives a different train split."""
        return self.splits["train"].repeatable != self.again(self.host, "train", seed=1)


def draw(host: PluginHost, info: PluginInfo, options: dict[str, Any], bounds: Bounds, tell: Tell) -> Drawn:
    """Draw every split. Raises PluginError if the plugin fails, UserError if subwords cannot be learned."""
    drawing = _Drawing(host, info, options, bounds, tell)
    held_out = {split: drawing.split(split) for split in HELD_OUT}
    train = drawing.split("train", held_out)
    src, tgt = _tokenizers(info, train.pairs, tell)
    return Drawn(
        host=host,
        info=info,
        options=options,
        src_tokenizer=src,
        tgt_tokenizer=tgt,
        splits={name: cut(split, src, tgt) for name, split in {"train": train, **held_out}.items()},
        symbols=host.symbols(info.name, options) if info.endless else None,
    )


def _tokenizers(info: PluginInfo, train: list[Pair], tell: Tell) -> tuple[Tokenizer, Tokenizer]:
    """The plugin's own tokenizers, with subwords learned from as many training pairs as were kept."""
    config = TokenizerConfig.model_validate({"src": info.tokenizer[0], "tgt": info.tokenizer[1]})
    models = dict[str, bytes]()
    with TemporaryDirectory() as folder:
        write_pairs(stem := Path(folder) / "train", train)
        for side, name in config.subwords.items():
            models[side] = _learned(learn_subwords(name, stem, len(train), side, config.size), tell)
    return make_tokenizer(config.src, models.get("src")), make_tokenizer(config.tgt, models.get("tgt"))


def _learned(learning: Generator[Progress, None, bytes], tell: Tell) -> bytes:
    with closing(learning):
        while True:
            try:
                progress = next(learning)
            except StopIteration as end:
                return bytes(end.value)
            tell(progress.stage, progress.done)


def cut(split: DrawnSplit, src: Tokenizer, tgt: Tokenizer) -> DrawnSplit:
    """The split with the tokens of its pairs."""
    return replace(
        split,
        src_tokens=[src.tokenize(pair.source) for pair in split.pairs],
        tgt_tokens=[tgt.tokenize(pair.target) for pair in split.pairs],
    )


@dataclass(frozen=True)
class _Drawing:
    host: PluginHost
    info: PluginInfo
    options: dict[str, Any]
    bounds: Bounds
    tell: Tell

    def split(self, name: str, held_out: dict[str, DrawnSplit] | None = None) -> DrawnSplit:
        """Draw one split. For train, note in each split of `held_out` which of its sources are drawn again.

        Pairs that are not kept are not decoded: only their quoted sources are compared, in a tenth of the time.
        """
        pairs, num_pairs, room, sources = list[Pair](), 0, SAMPLE_CHARACTERS, set[int]()
        for chunk in self._chunks(name):
            num_pairs += len(chunk)
            for pair in chunk.pairs()[: SAMPLE - len(pairs)] if room > 0 and len(pairs) < SAMPLE else ():
                room -= len(pair.source) + len(pair.target)
                if room > 0 or not pairs:
                    pairs.append(pair)
            quoted = chunk.quoted_sources()
            if held_out is None:
                sources.update(map(hash, quoted))
            for theirs in (held_out or {}).values():
                theirs.in_train.update(source for source in quoted if hash(source) in theirs.sources)
            if num_pairs > self.bounds.max_pairs:
                raise self._endless(name)
            self.tell(f"drawing {name} pairs", num_pairs)
        return DrawnSplit(
            pairs=pairs,
            num_pairs=None if name == "train" and self.info.endless else num_pairs,
            sources=sources,
        )

    def _chunks(self, name: str) -> Iterator[PairLines]:
        """The lines of a whole split, or of the first shards of endless data."""
        shards = range(SHARDS) if name == "train" and self.info.endless else range(1)
        until = time.monotonic() + self.bounds.shards_seconds
        for shard in shards:
            if shard and time.monotonic() > until:
                return
            yield from filter(None, self.host.lines(self.info.name, self.options, 0, name, shard))

    def _endless(self, split: str) -> PluginError:
        sentence = f"Plugin {self.info.name!r} does not end its {split} split within {self.bounds.max_pairs:,} pairs"
        remedy = ENDLESS_REMEDY if split == "train" else HELD_OUT_ENDLESS_REMEDY
        return PluginError(f"{sentence} ({self.info.origin}).", remedy=remedy)
