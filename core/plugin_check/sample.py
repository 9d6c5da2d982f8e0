"""Draws a plugin's pairs within bounds, and keeps what the checks look at."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any, get_args

from core.answers.plugin_report import Bounds
from core.config import SubwordName, TokenizerConfig
from core.data.pair_texts import write_pairs
from core.data.splits import HELD_OUT
from core.data.subwords import SubwordModels
from core.data.subwords_per_side import learn_each_side
from core.data.tokenizers import Tokenizer, make_tokenizer
from core.data.vocabulary import unique_tokens
from core.data.vocabulary_builder import subword_pieces
from core.errors import UserError
from core.generators import run_to_end
from core.plugin import Pair
from core.plugins_host.errors import PluginError
from core.plugins_host.host import PluginHost
from core.plugins_host.pair_lines import PairLines, lines_of
from core.plugins_host.plugin_info import PluginInfo
from core.plugins_host.split_drawing import ENDLESS_REMEDY, HELD_OUT_ENDLESS_REMEDY, SHARD_SIZE, draw_lines
from core.plugins_host.split_drawing import MAX_PAIRS as MAX_RUN_PAIRS
from core.run_files.write_errors import reporting_write_errors

MAX_PAIRS = 20_000
MAX_CHARACTERS = 2_000_000
"""How many pairs and characters of each split the checks look at. Later pairs are counted and searched for leaks, and
their tokens are known."""
NUM_SHARDS = 5
"""How many shards of endless data are compared with the held-out splits."""
NUM_REDRAWN = 5_000
"""How many pairs of each split are drawn again, to see whether they stay the same."""
_LARGE_REMEDY = f"A run takes up to {MAX_RUN_PAIRS['train']:,}: if there are so many, check it with fewer"
_TEMPORARY_ADVICE = "Free some space there, or set TMPDIR to another folder."

Tokens = list[list[str]]
ReportProgress = Callable[[str, int], None]
"""Reports progress: the stage, and how much of it is done."""


class NoRoomToCheck(UserError):
    """Subwords cannot be learned for a lack of room, which is no finding about the plugin."""


@dataclass(frozen=True, kw_only=True)
class SplitSample:
    """The first pairs of a split, and their tokens."""

    pairs: list[Pair]
    num_pairs: int | None  # None: endless
    sources: set[int] = field(default_factory=set)  # of a held-out split: hashes of all its quoted sources
    in_train: set[bytes] = field(default_factory=set)  # the quoted sources that the train split has too
    known: tuple[set[str], set[str]] = field(default_factory=lambda: (set(), set()))  # see `_Sampler.draw_split`
    targets: set[str] = field(default_factory=set)  # of train: not all if they differ
    src_tokens: Tokens = field(default_factory=list)
    tgt_tokens: Tokens = field(default_factory=list)

    @cached_property
    def first_lines(self) -> PairLines:
        """The first pairs as lines, to compare with a second draw."""
        return lines_of(self.pairs[:NUM_REDRAWN])


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A plugin, all its options, and the splits drawn with them."""

    host: PluginHost
    info: PluginInfo
    options: dict[str, Any]
    src_tokenizer: Tokenizer
    tgt_tokenizer: Tokenizer
    splits: dict[str, SplitSample]
    symbols: tuple[list[str], list[str]] | None  # None: finite data, or symbols() lists none

    @property
    def known_tokens(self) -> tuple[list[str], list[str]]:
        """The source and target tokens in the vocabulary of a model trained on this data."""
        return self._vocabularies(self.symbols or self.splits["train"].known)

    @property
    def kept_tokens(self) -> tuple[list[str], list[str]]:
        """The same of the pairs that were kept: a model of all tokens of a large dataset could fill the memory."""
        train = self.splits["train"]
        tokens = chain.from_iterable(train.src_tokens), chain.from_iterable(train.tgt_tokens)
        return self._vocabularies(self.symbols or tokens)

    def _vocabularies(self, tokens: tuple[Iterable[str], Iterable[str]]) -> tuple[list[str], list[str]]:
        src, tgt = map(unique_tokens, tokens)
        return subword_pieces(self.src_tokenizer) or src, subword_pieces(self.tgt_tokenizer) or tgt

    def redraw(self, host: PluginHost, split: str, seed: int = 0) -> PairLines:
        """Draw the `first_lines` pairs of a split again, and any that follow if it ended before NUM_REDRAWN pairs."""
        first = self.splits[split]
        limit = NUM_REDRAWN if first.num_pairs == len(first.pairs) else len(first.first_lines)
        chunks = list(draw_lines(host, self.info.name, self.options, seed, split, limit=limit))
        return PairLines(b"".join(chunk.lines for chunk in chunks), sum(map(len, chunks)))

    @cached_property
    def train_depends_on_seed(self) -> bool:
        """Whether another seed gives a different train split."""
        return self.splits["train"].first_lines != self.redraw(self.host, "train", seed=1)


def draw_sample(
    host: PluginHost, info: PluginInfo, options: dict[str, Any], bounds: Bounds, report_progress: ReportProgress
) -> Sample:
    """Draw every split. Raises PluginError if the plugin fails, UserError if subwords cannot be learned."""
    sampler = _Sampler(host, info, options, bounds, report_progress)
    held_out = {split: sampler.draw_split(split) for split in HELD_OUT}
    train = sampler.draw_split("train", held_out)
    src, tgt = _tokenizers(info, train.pairs, report_progress)
    return Sample(
        host=host,
        info=info,
        options=options,
        src_tokenizer=src,
        tgt_tokenizer=tgt,
        splits={name: tokenize_split(split, src, tgt) for name, split in {"train": train, **held_out}.items()},
        symbols=host.symbols(info.name, options) if info.endless else None,
    )


def _tokenizers(info: PluginInfo, train: list[Pair], report_progress: ReportProgress) -> tuple[Tokenizer, Tokenizer]:
    """The plugin's own tokenizers, with subwords learned from as many training pairs as were kept."""
    config = TokenizerConfig.model_validate({"src": info.tokenizer[0], "tgt": info.tokenizer[1]})
    models: SubwordModels = {}
    if config.subwords:
        with (
            reporting_write_errors(Path(gettempdir()), advice=_TEMPORARY_ADVICE, error_type=NoRoomToCheck),
            TemporaryDirectory() as folder,
        ):
            write_pairs(stem := Path(folder) / "train", train)
            learning = learn_each_side(config, stem, len(train))
            models, _ = run_to_end(learning, lambda progress: report_progress(progress.stage, progress.done))
    return make_tokenizer(config.src, models.get("src")), make_tokenizer(config.tgt, models.get("tgt"))


def part_looked_at(name: str, num_kept: int, num_pairs: int | None) -> str:
    """How findings about the pairs that were kept name them: the whole split, or its first pairs."""
    return f"the {name} split" if num_kept == num_pairs else f"the first {num_kept:,} pairs of the {name} split"


def tokenize_split(split: SplitSample, src: Tokenizer, tgt: Tokenizer) -> SplitSample:
    """The split with the tokens of its pairs."""
    return replace(
        split,
        src_tokens=[src.tokenize(pair.source) for pair in split.pairs],
        tgt_tokens=[tgt.tokenize(pair.target) for pair in split.pairs],
    )


@dataclass(frozen=True)
class _Sampler:
    host: PluginHost
    info: PluginInfo
    options: dict[str, Any]
    bounds: Bounds
    report_progress: ReportProgress

    def draw_split(self, name: str, held_out: dict[str, SplitSample] | None = None) -> SplitSample:
        """Draw one split. For train, note in each split of `held_out` which of its sources are drawn again.

        And `known`, the words or characters of train from which a run takes its vocabulary: all, or of endless data
        those of the first shard. Pairs that are neither kept nor known are not decoded: only their quoted sources are
        compared, in a tenth of the time.
        """
        pairs, num_pairs, characters_left, sources = list[Pair](), 0, MAX_CHARACTERS, set[int]()
        known, targets = (set[str](), set[str]()), set[str]()
        for chunk in self._chunks(name):
            if name == "train" and not (self.info.endless and num_pairs >= SHARD_SIZE):
                fields = chunk.fields()
                self._add_tokens(fields, known)
                if len(targets) < 2:
                    targets.update(target for _, target, _ in fields)
            num_pairs += len(chunk)
            is_full = characters_left <= 0 or len(pairs) == MAX_PAIRS
            for pair in () if is_full else chunk.pairs()[: MAX_PAIRS - len(pairs)]:
                characters_left -= len(pair.source) + len(pair.target)
                if characters_left > 0 or not pairs:
                    pairs.append(pair)
            quoted_sources = chunk.quoted_sources()
            if held_out is None:
                sources.update(map(hash, quoted_sources))
            for other in (held_out or {}).values():
                other.in_train.update(source for source in quoted_sources if hash(source) in other.sources)
            if num_pairs > self.bounds.max_pairs:
                raise self._endless_error(name)
            self.report_progress(f"drawing {name} pairs", num_pairs)
        return SplitSample(
            pairs=pairs,
            num_pairs=None if name == "train" and self.info.endless else num_pairs,
            sources=sources,
            known=known,
            targets=targets,
        )

    def _add_tokens(self, fields: list[list[Any]], known: tuple[set[str], set[str]]) -> None:
        for side, (name, tokens) in enumerate(zip(self.info.tokenizer, known, strict=True)):
            if name not in get_args(SubwordName):
                tokenize = make_tokenizer(name).tokenize
                tokens.update(chain.from_iterable(tokenize(pair[side]) for pair in fields))

    def _chunks(self, name: str) -> Iterator[PairLines]:
        """The lines of a whole split, or of the first shards of endless data."""
        shards = range(NUM_SHARDS) if name == "train" and self.info.endless else range(1)
        deadline = time.monotonic() + self.bounds.shards_seconds
        for shard in shards:
            if shard and time.monotonic() > deadline:
                return
            yield from filter(None, draw_lines(self.host, self.info.name, self.options, 0, name, shard))

    def _endless_error(self, split: str) -> PluginError:
        sentence = f"Plugin {self.info.name!r} does not end its {split} split within {self.bounds.max_pairs:,} pairs"
        remedy = f"{ENDLESS_REMEDY}. {_LARGE_REMEDY}" if split == "train" else HELD_OUT_ENDLESS_REMEDY
        return PluginError(f"{sentence} ({self.info.origin}).", remedy=remedy)
