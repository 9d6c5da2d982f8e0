"""Counts lengths and unknown tokens in the id arrays, without reading texts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.config import TrainingConfig
from core.data.batch_plan import padding_share, plan_batches
from core.data.prepared_data import PreparedData
from core.data.special_tokens import UNK_ID
from core.data.token_arrays import PairArrays, TokenArrays
from core.overview.records import Limits, SideFigures, SplitFigures

IDS_PER_CHUNK = 5_000_000
"""How many ids are looked at in one piece, so that a corpus of any size takes no more memory than these."""
PADDING_SAMPLE = 200_000
"""For how many pairs batches are planned: for most corpora, all of them."""


def split_figures(data: PreparedData, split: str, limits: Limits) -> SplitFigures:
    """Count one split. `data` holds all pairs, including those that are too long."""
    pairs = data.split(split)
    fits = pairs.fitting(*limits)
    return SplitFigures(
        num_pairs=int(fits.sum()),
        num_left_out=int((~fits).sum()),
        num_left_out_by_plugin=data.plugin_left_out.get(split, 0),
        src=_side_figures(pairs.src, pairs.src.lengths, limits[0], fits),
        tgt=_side_figures(pairs.tgt, pairs.tgt_lengths, limits[1], fits),
    )


def _side_figures(arrays: TokenArrays, lengths: NDArray[np.int64], limit: int, fits: NDArray[np.bool_]) -> SideFigures:
    return SideFigures(
        lengths=np.bincount(lengths),
        limit=limit,
        num_tokens=int(lengths[fits].sum()) - int(fits.sum()),
        num_unknown=int(unknown_counts(arrays)[fits].sum()),
    )


def unknown_counts(arrays: TokenArrays) -> NDArray[np.int64]:
    """The number of unknown tokens in each sequence, [N]. Sequences lie one after another in `ids`."""
    counts = np.zeros(len(arrays), dtype=np.int64)
    for first in range(0, len(arrays.ids), IDS_PER_CHUNK):
        positions = first + np.flatnonzero(arrays.ids[first : first + IDS_PER_CHUNK] == UNK_ID)
        np.add.at(counts, np.searchsorted(arrays.starts, positions, side="right") - 1, 1)
    return counts


def train_padding(pairs: PairArrays, training: TrainingConfig, limits: Limits, seed: int) -> tuple[float, bool]:
    """The share of padding in the first epoch's batches, and whether only a sample of them was planned."""
    order = np.random.Generator(np.random.PCG64([seed, 0])).permutation(np.flatnonzero(pairs.fitting(*limits)))
    sample = order[:PADDING_SAMPLE]
    share = padding_share((pairs.src.lengths, pairs.tgt_lengths), plan_batches(pairs, sample, training))
    return share, len(sample) < len(order)
