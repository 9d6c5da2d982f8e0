"""Plain records of a prepared dataset in numbers, as the Data view shows it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.config import RunConfig

Limits = tuple[int, int]  # tokens of the longest source and target used, <eos> included
TextCounts = tuple[tuple[str, int], ...]  # texts and how often each was seen, the most frequent first


@dataclass(frozen=True, kw_only=True)
class SideFigures:
    """The figures of a split's sources, or of its targets."""

    lengths: NDArray[np.int64]  # lengths[n] texts have n tokens, <eos> included; also counts those left out
    limit: int  # longer texts are left out, with their partners
    num_tokens: int  # without <eos>; from here on, only of pairs that are not left out
    num_unknown: int  # how many of these the vocabulary lacks
    unknown: TextCounts = ()  # which ones, in held-out splits


@dataclass(frozen=True, kw_only=True)
class SplitFigures:
    """One split."""

    num_pairs: int  # for endless data, in the first shard
    num_left_out: int  # longer than a limit
    num_left_out_by_plugin: int
    src: SideFigures
    tgt: SideFigures


@dataclass(frozen=True, kw_only=True)
class Repeats:
    """Pairs that occur in the train split more than once."""

    num_pairs: int
    most_frequent: TextCounts  # sources of the most frequent pairs


@dataclass(frozen=True, kw_only=True)
class Leak:
    """How much of a held-out split is trained on."""

    num_sources: int  # different ones, in the held-out split
    sources_in_train: int
    pairs_in_train: int
    examples: tuple[str, ...]  # such sources


@dataclass(frozen=True, kw_only=True)
class DataOverview:
    """The summary so far; `stage` says what is being looked at, and is empty at the end."""

    splits: dict[str, SplitFigures]
    padding: float  # share of a batch's positions that hold no token
    is_padding_sampled: bool  # measured on a part of the train split
    repeats: Repeats | None = None
    leaks: dict[str, Leak] | None = None  # by held-out split
    test_in_valid: int | None = None  # different sources of the test split that the valid split has too
    stage: str = ""


def length_limits(config: RunConfig) -> Limits:
    """The limits of a run whose lengths are resolved."""
    return int(config.dataset.max_src_length), int(config.dataset.max_tgt_length)
