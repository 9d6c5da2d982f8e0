"""Small batches on a GPU: padded to a few shapes, each of which has a CUDA graph."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from core.data.batch import Batch, BatchShape
from core.model.transformer import Transformer
from core.training.cuda_graphs import CudaGraphs

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
        self._memory: dict[BatchShape, Tensor] = {}
        self._graphs = CudaGraphs(first.device)

    def run(self, write: Write, batch: Batch, label_smoothing: float, scale: float) -> Tensor:
        """Do `write`, always the same, and return its result, which the next batch may overwrite.

        It is given each time: kept here, it would hold its owner, and this its memory, until garbage is collected.
        """
        device = self._scale.device
        self._scale.fill_(scale)
        shape = batch.shape.rounded_up(self._max_length)
        if self._num_weights * shape.size * (shape.src_length + shape.tgt_length) > _MAX_WORK:
            return write(batch.to(device), label_smoothing, self._scale)
        if shape not in self._memory:
            self._memory[shape] = torch.empty(shape.num_bytes, dtype=torch.uint8, device=device)
        memory = self._memory[shape].copy_(batch.pack(shape, device), non_blocking=True)
        padded = Batch.in_memory(memory, shape, batch.num_target_tokens)
        return self._graphs.run((shape, label_smoothing), lambda: write(padded, label_smoothing, self._scale))
