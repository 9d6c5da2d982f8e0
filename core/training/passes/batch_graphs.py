"""Small batches on a GPU: padded to a few shapes, each of which has a CUDA graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from core.data.batch import Batch, BatchShape
from core.model.transformer import Transformer
from core.training.cuda_graphs import CudaGraphs
from core.training.memory import is_out_of_memory

# Weights times rows. The operations of larger batches take longer than launching them, and most of a GPU's memory, of
# which graphs need as much again.
_MAX_WORK = 2e12

# The training pass over a batch on the GPU, with label smoothing and a scale that is there, too.
Write = Callable[[Batch, float, Tensor], Tensor]


class BatchGraphs:
    """Runs the training pass over one batch at a time."""

    def __init__(self, model: Transformer) -> None:
        first = next(model.parameters())
        self._num_weights = sum(parameter.numel() for parameter in model.parameters())
        self._max_length = model.max_positions
        self._scale = first.new_empty(())
        self._memory: dict[int, Tensor] = {}  # by its size
        self._graphs = CudaGraphs(first.device)
        self._label_smoothing = 0.0  # of all graphs

    def run(self, write: Write, batch: Batch, label_smoothing: float, scale: float) -> Tensor:
        """Do `write`, always the same, and return its result, which the next batch may overwrite.

        If memory runs out, that of the graphs is freed, and all goes on without graphs.

        `write` is given each time: kept here, it would hold its owner, and this its memory, until garbage is collected.
        """
        if label_smoothing != self._label_smoothing:
            self._graphs.clear()
            self._label_smoothing = label_smoothing
        self._scale.fill_(scale)
        try:
            return self._run(write, batch)
        except RuntimeError as error:
            if not is_out_of_memory(error) or not self._graphs.stop():
                raise
        return self._run(write, batch)  # here, where the exception no longer holds the tensors of the first try

    def _run(self, write: Write, batch: Batch) -> Tensor:
        device, shape = self._scale.device, batch.shape.rounded_up(self._max_length)
        if self._num_weights * shape.size * (shape.src_length + shape.tgt_length) > _MAX_WORK:
            return write(batch.to(device), self._label_smoothing, self._scale)
        memory = self._memory_for(shape).copy_(batch.pack(shape, device), non_blocking=True)
        padded = Batch.in_memory(memory, shape, batch.num_target_tokens)
        return self._graphs.run(shape, partial(write, padded, self._label_smoothing, self._scale))

    def _memory_for(self, shape: BatchShape) -> Tensor:
        """The memory of a shape's batches [shape.num_bytes]: always the same, which similar shapes share."""
        num_bytes = 1 << (shape.num_bytes - 1).bit_length()
        if num_bytes not in self._memory:
            self._memory[num_bytes] = torch.empty(num_bytes, dtype=torch.uint8, device=self._scale.device)
        return self._memory[num_bytes][: shape.num_bytes]
