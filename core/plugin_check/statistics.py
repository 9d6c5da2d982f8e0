"""Computes a dataset's figures, and finds those that leave little to learn or to measure."""

from __future__ import annotations

import random
from collections.abc import Iterator
from statistics import median_low

import numpy as np

from core.answers.plugin_report import Figures, Finding, Lengths, SplitFigures
from core.config import TrainingConfig
from core.data.batch_plan import padding_share
from core.data.splits import HELD_OUT
from core.per_cent import per_cent
from core.plugin_check.sample import Sample, SplitSample, Tokens, part_looked_at
from core.short_repr import short_repr

MAX_DUPLICATES = 0.9
MAX_UNKNOWN = 0.1
MAX_PADDING = 0.6


def compute_figures(sample: Sample, depends_on_seed: bool) -> Figures:
    """Compute the figures of everything that was drawn."""
    src, tgt = sample.known_tokens
    known = frozenset(src), frozenset(tgt)
    train = sample.splits["train"]
    return Figures(
        splits={name: _split_figures(split, *known) for name, split in sample.splits.items()},
        src_vocabulary=len(src),
        tgt_vocabulary=len(tgt),
        padding=_padding(train.src_tokens, train.tgt_tokens),
        depends_on_seed=depends_on_seed,
    )


def _split_figures(split: SplitSample, known_src: frozenset[str], known_tgt: frozenset[str]) -> SplitFigures:
    num_different = len({(pair.source, pair.target) for pair in split.pairs})
    return SplitFigures(
        num_pairs=split.num_pairs,
        num_kept=len(split.pairs),
        src_lengths=_lengths(split.src_tokens),
        tgt_lengths=_lengths(split.tgt_tokens),
        unknown_src=_unknown(split.src_tokens, known_src),
        unknown_tgt=_unknown(split.tgt_tokens, known_tgt),
        duplicates=1.0 - num_different / len(split.pairs),
        in_train=len(split.in_train),
    )


def _lengths(tokens: Tokens) -> Lengths:
    lengths = list(map(len, tokens))
    return Lengths(shortest=min(lengths), median=median_low(lengths), longest=max(lengths))


def _unknown(tokens: Tokens, known: frozenset[str]) -> float:
    return sum(token not in known for own in tokens for token in own) / max(1, sum(map(len, tokens)))


def _padding(*sides: Tokens) -> float:
    """The share of padding in batches of the default size, drawn in random order; `<eos>` counted as a token."""
    size: int = TrainingConfig.model_fields["batch_size"].default
    order = list(range(len(sides[0])))
    random.Random(0).shuffle(order)
    lengths = [np.array([len(own) + 1 for own in tokens]) for tokens in sides]
    return padding_share(lengths, np.split(np.array(order), range(size, len(order), size)))


def check_figures(sample: Sample, figures: Figures) -> Iterator[Finding]:
    """Find repetitions, unknown tokens and padding that spoil training or its measurement."""
    for name, split in figures.splits.items():
        yield from _check_duplicates(name, split)
    yield from _check_targets_differ(sample.splits["train"])
    src, tgt = sample.info.tokenizer
    for name in HELD_OUT if sample.symbols is None else ():  # check_symbols reports those not listed
        split = figures.splits[name]
        where = part_looked_at(name, split.num_kept, split.num_pairs)
        yield from _check_unknown_tokens(where, "source", split.unknown_src, src)
        yield from _check_unknown_tokens(where, "target", split.unknown_tgt, tgt)
    if figures.padding > MAX_PADDING:
        train = figures.splits["train"]
        first = "" if train.num_kept == train.num_pairs else f" from the first {train.num_kept:,} pairs"
        yield Finding(
            check="padding",
            sentence=f"{per_cent(figures.padding)} of a batch of the default size{first} is padding; "
            f"expected at most {per_cent(MAX_PADDING)}.",
            advice="Make texts more alike in length, or train with training.batch_tokens, which groups them by length.",
        )


def _check_duplicates(name: str, split: SplitFigures) -> Iterator[Finding]:
    if split.duplicates > MAX_DUPLICATES:
        pairs = "pairs" if split.num_kept == split.num_pairs else f"first {split.num_kept:,} pairs"
        yield Finding(
            check="duplicates",
            sentence=f"{per_cent(split.duplicates, 1)} of the {pairs} of the {name} split repeat an earlier pair; "
            f"expected at most {per_cent(MAX_DUPLICATES)}.",
            advice="Draw from more different pairs, or yield fewer.",
        )


def _check_targets_differ(train: SplitSample) -> Iterator[Finding]:
    if len(train.targets) == 1 and len({pair.source for pair in train.pairs}) > 1:
        yield Finding(
            check="targets",
            sentence=f"Every target of the train split is {short_repr(min(train.targets), 80)}; "
            "expected targets that follow from their sources.",
            advice="Make the target from the source: otherwise a model can ignore it.",
        )


def _check_unknown_tokens(where: str, side: str, unknown: float, tokenizer: str) -> Iterator[Finding]:
    if unknown > MAX_UNKNOWN:
        yield Finding(
            check="unknown tokens",
            sentence=f"{per_cent(unknown)} of the {side} tokens of {where} are in no pair of the train split; "
            f"expected at most {per_cent(MAX_UNKNOWN)}.",
            advice="Make all splits of the same tokens, or cut texts into characters. "
            f"This check cuts them by the plugin's own tokenizer, {tokenizer}; a run with another dataset.tokenizer "
            "may know them.",
        )
