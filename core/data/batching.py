"""Makes batches of padded ids, planned with numpy and resumable at any batch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from core.config import TrainingConfig
from core.data.batch import Batch
from core.data.batch_plan import Indices, batches_of_tokens, plan_batches
from core.data.prepared_data import PreparedData
from core.data.shards import Shards
from core.data.special_tokens import PAD_ID
from core.data.token_arrays import PairArrays
from core.plugins_host.host import PluginHost

# The share of the first shard's batches after which the second shard is drawn ahead: its 10,000 pairs take most of a
# second of a core on either side of the pipe, and a short trial ends before it needs them. Later shards are drawn ahead
# as early as possible.
_SHARE_BEFORE_PREFETCH = 0.1


def make_batch(pairs: PairArrays, indices: Indices) -> Batch:
    """The batch of these pairs, by a few gathers however many there are. 32 pairs of 10 tokens take 20 to 35 us."""
    src, src_mask = pairs.src.padded(indices)
    tgt, tgt_mask = pairs.tgt.padded(indices)
    # The decoder reads a target from <bos> to the last token but one, and is to write it from the second to <eos>.
    output_mask = np.ascontiguousarray(tgt_mask[:, 1:])
    tgt_input = np.where(output_mask, tgt[:, :-1], PAD_ID)
    tgt_output = np.ascontiguousarray(tgt[:, 1:])
    return Batch(
        torch.from_numpy(src),
        torch.from_numpy(src_mask),
        torch.from_numpy(tgt_input),
        torch.from_numpy(tgt_output),
        torch.from_numpy(output_mask),
        int(output_mask.sum()),
    )


def eval_batches(
    data: PreparedData, split: str, max_tokens: int, limit: int | None = None
) -> Iterator[tuple[Indices, Batch]]:
    """A split's first `limit` pairs (None: all), each once, in batches made by `batches_of_tokens`.

    The longer side of each pair is counted: otherwise short labels would put a thousand long texts into one batch.
    """
    pairs = data.split(split)
    order = np.arange(len(pairs) if limit is None else min(limit, len(pairs)))
    longer = np.maximum(pairs.src.lengths, pairs.tgt_lengths)
    for indices in batches_of_tokens(pairs, order, longer, max_tokens):
        yield indices, make_batch(pairs, indices)


class TrainBatches:
    """An endless iterator of training batches, the same for the same data, config and seed.

    A round is an epoch of finite data, shuffled by (seed, epoch), or a shard of endless data in its own order. Nothing
    is read or drawn before the first batch is requested.
    """

    def __init__(self, data: PreparedData, training: TrainingConfig, seed: int, host: PluginHost | None) -> None:
        """`host` draws endless data; finite data need none."""
        self._data, self._training, self._seed = data, training, seed
        self._shards: Shards | None = None
        if data.endless:
            assert host is not None, "endless data need a host"
            self._shards = Shards(data, host)
        self._round, self._next, self._num_batches = 0, 0, 0
        self._pairs: PairArrays | None = None
        self._plan: list[Indices] = []

    def __iter__(self) -> Iterator[Batch]:
        return self

    def __next__(self) -> Batch:
        if self._pairs is None:
            self._pairs = self._pairs_of(self._round)
        while self._next >= len(self._plan):  # a shard may be empty, if all its pairs are too long
            self._pairs = self._pairs_of(self._round + 1)  # if it raises, the state is unchanged
            self._round, self._next = self._round + 1, 0
        is_trial = self._round == 0 and self._next < int(_SHARE_BEFORE_PREFETCH * self._num_batches)
        if self._shards is not None and not is_trial:
            self._shards.prefetch(self._round + 1)
        self._next += 1
        return make_batch(self._pairs, self._plan[self._next - 1])

    @property
    def epoch(self) -> float:
        """The number of rounds done, including the fraction of the present one."""
        return self._round + (self._next / self._num_batches if self._num_batches else 0.0)

    def state(self) -> dict[str, int]:
        """The position of the next batch, as plain data."""
        return {"round": self._round, "next": self._next, "num_batches": self._num_batches}

    def restore(self, state: dict[str, int]) -> None:
        """Continue with the batch that was next when `state` was taken."""
        self._round, self._next, self._num_batches = state["round"], state["next"], state["num_batches"]
        self._pairs, self._plan = None, []

    def close(self) -> None:
        """Stop drawing ahead. Call it before the host is closed."""
        if self._shards is not None:
            self._shards.close()

    def _pairs_of(self, number: int) -> PairArrays:
        """The pairs of a round; plans its batches."""
        random = np.random.Generator(np.random.PCG64([self._seed, number]))
        if self._shards is None:
            pairs = self._data.split("train")
            order = random.permutation(len(pairs))
        else:
            pairs = self._shards.pairs(number)
            order = np.arange(len(pairs))  # drawn at random already
        self._plan = plan_batches(pairs, order, self._training)
        self._num_batches = len(self._plan)
        if self._training.batch_tokens is not None:
            random.shuffle(self._plan)
        return pairs
