"""Prepares a size's data as a run's is, and makes its batches for implementations that lack our trainer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.speed.settings import PLUGINS, random_words
from benchmarks.speed.sizes import Size
from core.config import DatasetConfig
from core.data.batch import Batch
from core.data.batching import make_batch
from core.data.preparation import prepare_data
from core.data.prepared_data import PreparedData
from core.generators import run_to_end
from core.plugins_host.host import PluginHost


def prepare(size: Size, folder: Path) -> PreparedData:
    """Random sentences with exactly the size's vocabulary and length; memory-mapped, so `folder` must last."""
    dataset = DatasetConfig.model_validate(random_words(size))
    with PluginHost([PLUGINS]) as host:
        data = run_to_end(prepare_data(dataset, host, folder / "cache"))
    assert len(data.src_vocabulary) == len(data.tgt_vocabulary) == size.vocab_size
    return data


def train_batches(data: PreparedData, size: Size) -> list[Batch]:
    """Every batch of the train split, in the order of its pairs."""
    pairs = data.split("train")
    return [make_batch(pairs, part) for part in np.split(np.arange(len(pairs)), len(pairs) // size.batch_size)]


def source_texts(data: PreparedData, count: int) -> Sequence[str]:
    """The first `count` sources of the valid split, to be decoded."""
    return [data.pair("valid", index).source for index in range(count)]
