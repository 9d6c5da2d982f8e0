"""Summarises a prepared dataset piece by piece, before or while something is trained on it. Without torch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import compress, islice

import numpy as np
from numpy.typing import NDArray

from core.config import RunConfig
from core.data.pair_texts import read_pairs
from core.data.prepared_data import PreparedData
from core.data.splits import HELD_OUT, SPLITS
from core.data.token_arrays import TokenArrays
from core.data.tokenizers import Tokenizer
from core.data.vocabulary import Vocabulary
from core.overview.duplicates import NUM_EXAMPLES, HeldOutPairs, TrainPairs
from core.overview.records import DataOverview, Leak, Limits, Repeats, TextCounts, length_limits
from core.overview.split_figures import split_figures, train_padding, unknown_counts
from core.plugin import Pair

CHUNK = 10_000
"""How many pairs' texts are read in one piece: it takes some hundredths of a second."""
MAX_UNKNOWN = 20_000
"""How many held-out pairs with unknown tokens are tokenised again, to say which tokens these are."""


def summarise_data(data: PreparedData, config: RunConfig) -> Iterator[DataOverview]:
    """Yield what can be counted at once, then what the texts show, and last repeats and leaks, streaming the train
    split.

    `data` holds all pairs that were drawn; `config` says which of them are too long, and how batches are made.
    """
    limits = length_limits(config)
    padding, is_sampled = train_padding(data.split("train"), config.training, limits, config.seed)
    overview = DataOverview(
        splits={split: split_figures(data, split, limits) for split in SPLITS},
        padding=padding,
        is_padding_sampled=is_sampled,
        stage="unknown tokens",
    )
    yield overview
    for split in HELD_OUT:
        overview = _with_unknown(overview, data, split, limits)
        yield overview
    yield from _compare_splits(overview, data, limits)


def _with_unknown(overview: DataOverview, data: PreparedData, split: str, limits: Limits) -> DataOverview:
    figures, pairs = overview.splits[split], data.split(split)
    fits = pairs.fitting(*limits)
    sources = (data.pair(split, index).source for index in _indices_with_unknown(pairs.src, fits))
    targets = (data.pair(split, index).target for index in _indices_with_unknown(pairs.tgt, fits))
    src = _unknown(sources, data.src_tokenizer, data.src_vocabulary)
    tgt = _unknown(targets, data.tgt_tokenizer, data.tgt_vocabulary)
    updated = replace(figures, src=replace(figures.src, unknown=src), tgt=replace(figures.tgt, unknown=tgt))
    return replace(overview, splits={**overview.splits, split: updated})


def _indices_with_unknown(arrays: TokenArrays, fits: NDArray[np.bool_]) -> list[int]:
    """The indices of the first sequences with unknown tokens, of pairs that are not left out."""
    indices: list[int] = np.flatnonzero((unknown_counts(arrays) > 0) & fits)[:MAX_UNKNOWN].tolist()
    return indices


def _unknown(texts: Iterable[str], tokenizer: Tokenizer, vocabulary: Vocabulary) -> TextCounts:
    """The most frequent unknown tokens."""
    unknown = Counter(token for text in texts for token in tokenizer.tokenize(text) if token not in vocabulary)
    return tuple(unknown.most_common(NUM_EXAMPLES))


def _compare_splits(overview: DataOverview, data: PreparedData, limits: Limits) -> Iterator[DataOverview]:
    """Stream the train split, and record pairs that are repeated or held out."""
    held_out = {split: HeldOutPairs() for split in HELD_OUT}
    for split, held_out_pairs in held_out.items():
        for chunk in _chunks(data, split, limits):
            held_out_pairs.add(chunk)
            yield replace(overview, stage=f"{split} pairs")
    train_pairs, num_train = TrainPairs(), overview.splits["train"].num_pairs
    done = 0
    for chunk in _chunks(data, "train", limits):
        train_pairs.add(chunk)
        for held_out_pairs in held_out.values():
            held_out_pairs.compare(chunk)
        done += len(chunk)
        yield replace(overview, stage=f"repeats and leaks, {done:,} of {num_train:,} train pairs")
    yield replace(
        overview,
        repeats=_repeats(data, train_pairs, limits),
        leaks={split: _leak(held_out_pairs) for split, held_out_pairs in held_out.items()},
        test_in_valid=held_out["test"].num_shared_with(held_out["valid"]),
        stage="",
    )


def _chunks(data: PreparedData, split: str, limits: Limits) -> Iterator[list[Pair]]:
    """The pairs of a split that are not too long, in chunks, as their texts are read."""
    assert data.folder is not None
    pairs = compress(read_pairs(data.folder / split), data.split(split).fitting(*limits))
    while chunk := list(islice(pairs, CHUNK)):
        yield chunk


def _repeats(data: PreparedData, train_pairs: TrainPairs, limits: Limits) -> Repeats:
    num_pairs, most_frequent = train_pairs.repeated()
    included = np.flatnonzero(data.split("train").fitting(*limits))
    texts = tuple((data.pair("train", int(included[index])).source, times) for index, times in most_frequent)
    return Repeats(num_pairs=num_pairs, most_frequent=texts)


def _leak(held_out_pairs: HeldOutPairs) -> Leak:
    return Leak(
        num_sources=held_out_pairs.num_sources,
        sources_in_train=len(held_out_pairs.sources_in_train),
        pairs_in_train=len(held_out_pairs.pairs_in_train),
        examples=tuple(sorted(held_out_pairs.sources_in_train)[:NUM_EXAMPLES]),
    )
