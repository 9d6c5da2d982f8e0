"""Batches trained on by graphs, here without a GPU: graphs that read the right memory, and what becomes of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from torch import Tensor

from core.data.batch import Batch, BatchShape
from core.data.batching import make_batch
from core.data.special_tokens import EOS_ID
from core.data.token_arrays import PairArrays, source_arrays, target_arrays
from core.training.flat_parameters import FlatParameters
from core.training.passes import batch_graphs
from core.training.passes.batch_graphs import BatchGraphs
from core.training.passes.training import TrainingPass
from core.training.passes.transformer import TransformerPass
from tests.core.model.builders import MAX_POSITIONS, SRC_VOCAB, small_model
from tests.core.training.graphs_without_gpu import let_graphs_repeat


@pytest.fixture(autouse=True)
def graphs_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    let_graphs_repeat(monkeypatch)


class Pass(TrainingPass):
    """The pass of a small model, with or without graphs."""

    def __init__(self, with_graphs: bool) -> None:
        self.model = small_model(dtype=torch.float64, tie_embeddings="decoder")
        self.parameters = FlatParameters(self.model)
        super().__init__(self.model, self.parameters, in_bfloat16=False)
        self._graphs = BatchGraphs(self.model) if with_graphs else None

    @property
    def num_graphs(self) -> int:
        assert self._graphs is not None
        return len(self._graphs._graphs._graphs)

    def losses_and_gradients(self, batches: Sequence[Batch], label_smoothing: float = 0.1) -> Tensor:
        losses = torch.stack(self.write_gradients(batches, label_smoothing))
        return torch.cat([losses, self.parameters.gradients])


def random_batch(seed: int, size: int, length: int) -> Batch:
    """Sentences of up to `length` tokens, one of them of as many."""
    random = np.random.default_rng(seed)
    sides = []
    for make in (source_arrays, target_arrays):
        lengths = [length, *random.integers(1, length + 1, size - 1)]
        sides.append(make(random.integers(EOS_ID + 1, SRC_VOCAB, sum(lengths)).astype(np.int32), lengths))
    return make_batch(PairArrays(*sides), np.arange(size))


def test_graphs_see_each_batch_and_the_weights_and_settings_of_its_step() -> None:
    """Accumulated over batches of several shapes, whose numbers of tokens differ; some share their memory."""
    plain, by_graphs = Pass(with_graphs=False), Pass(with_graphs=True)
    sizes = [(3, 4), (5, 5), (4, 11), (2, 4), (7, 5)]
    for step in range(6):
        batches = [random_batch(10 * step + number, *size) for number, size in enumerate(sizes)]
        smoothing = 0.1 if step < 4 else 0.0
        expected = plain.losses_and_gradients(batches, smoothing)
        torch.testing.assert_close(by_graphs.losses_and_gradients(batches, smoothing), expected, rtol=1e-12, atol=1e-13)
        for one in (plain, by_graphs):
            one.parameters.values.sub_(one.parameters.gradients, alpha=0.1)
    assert by_graphs.num_graphs == 3


def test_graphs_of_another_label_smoothing_are_freed() -> None:
    """They would never be replayed, and there may be only so many."""
    by_graphs, batch = Pass(with_graphs=True), random_batch(0, 3, 4)
    for smoothing, expected in [(0.1, 0), (0.1, 1), (0.2, 0), (0.2, 1), (0.1, 0)]:
        by_graphs.losses_and_gradients([batch], smoothing)
        assert by_graphs.num_graphs == expected


def test_shapes_share_a_few_pieces_of_memory() -> None:
    graphs = BatchGraphs(small_model())
    shapes = {
        BatchShape(size, src_length, tgt_length).rounded_up(MAX_POSITIONS)
        for size in range(1, 65)
        for src_length in range(1, MAX_POSITIONS)
        for tgt_length in range(1, MAX_POSITIONS)
    }
    memory = {shape: graphs._memory_for(shape) for shape in shapes}
    assert all(graphs._memory_for(shape).data_ptr() == one.data_ptr() for shape, one in memory.items())
    assert all(len(one) == shape.num_bytes for shape, one in memory.items())
    kept = sum(len(one) for one in graphs._memory.values())
    assert len(shapes) > 1000 and kept < 4 * max(shape.num_bytes for shape in shapes)


@pytest.mark.parametrize("is_large", [False, True])
def test_without_memory_beside_the_graphs_a_run_goes_on_without_graphs(
    is_large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether a batch is seen for the first time, or too large for a graph."""
    by_graphs, plain = Pass(with_graphs=True), Pass(with_graphs=False)
    for _ in range(2):
        by_graphs.losses_and_gradients([random_batch(0, 3, 4)])
    assert by_graphs.num_graphs == 1
    forward = TransformerPass.forward

    def forward_beside_graphs(one: TransformerPass, batch: Batch) -> Tensor:
        if by_graphs.num_graphs > 0:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return forward(one, batch)

    monkeypatch.setattr(TransformerPass, "forward", forward_beside_graphs)
    monkeypatch.setattr(batch_graphs, "_MAX_WORK", 0.0 if is_large else 1e12)
    for seed in range(3):
        batch = random_batch(seed, 9, 7)
        result = by_graphs.losses_and_gradients([batch])
        torch.testing.assert_close(result, plain.losses_and_gradients([batch]), rtol=1e-12, atol=1e-13)
        assert by_graphs.num_graphs == 0


def test_without_any_graph_running_out_of_memory_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    by_graphs, tries = Pass(with_graphs=True), 0

    def failing(*_: object) -> Tensor:
        nonlocal tries
        tries += 1
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(TransformerPass, "forward", failing)
    with pytest.raises(torch.OutOfMemoryError):
        by_graphs.losses_and_gradients([random_batch(0, 3, 4)])
    assert tries == 1
