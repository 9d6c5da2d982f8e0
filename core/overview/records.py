"""A prepared dataset in numbers, as the Data view shows it. Plain records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.config import RunConfig

Limits = tuple[int, int]  # tokens of the longest source and target that are used, <eos> counted
Counted = tuple[tuple[str, int], ...]  # texts with how often each was seen, the frequent ones first


@dataclass(frozen=True, kw_only=True)
class SideFigures:
    """The sources of a split, or its targets."""

    lengths: NDArray[np.int64]  # lengths[n] texts have n tokens, <eos> counted; those that are left out are in it
    limit: int  # what is longer is left out, with its partner
    num_tokens: int  # without <eos>, and like all that follows of the pairs that are not left out
    num_unknown: int  # of these, how many the vocabulary does not have
    unknown: Counted = ()  # which these are, of held-out splits


@dataclass(frozen=True, kw_only=True)
class SplitFigures:
    """One split."""

    num_pairs: int  # of endless data, of the first shard
    num_left_out: int  # longer than a limit
    num_left_out_by_plugin: int
    src: SideFigures
    tgt: SideFigures


@dataclass(frozen=True, kw_only=True)
class Repeats:
    """Pairs of the train split that stood before in it."""

    num_pairs: int
    most_frequent: Counted  # sources of the pairs that come most often


@dataclass(frozen=True, kw_only=True)
class Leak:
    """What of a held-out split is trained on."""

    num_sources: int  # different ones in the held-out split
    sources_in_train: int
    pairs_in_train: int
    examples: tuple[str, ...]  # such sources


@dataclass(frozen=True, kw_only=True)
class DataOverview:
    """What is known so far; `stage` says what is being looked at, and is empty at the end."""

    splits: dict[str, SplitFigures]
    padding: float  # share of the places of a batch that hold no token
    is_padding_sampled: bool  # measured on a part of the train split
    repeats: Repeats | None = None
    leaks: dict[str, Leak] | None = None  # by held-out split
    test_in_valid: int | None = None  # different sources of the test split that the valid split has too
    stage: str = ""


def limits_of(config: RunConfig) -> Limits:
    """Those of a run whose lengths are resolved."""
    return int(config.dataset.max_src_length), int(config.dataset.max_tgt_length)
