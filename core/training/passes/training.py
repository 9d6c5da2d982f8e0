"""Forward and backward of a whole training step."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from core.data.batch import Batch
from core.data.special_tokens import PAD_ID
from core.model.transformer import Transformer
from core.training.flat_parameters import FlatParameters
from core.training.loss import Loss, LossPass, target_positions
from core.training.passes.batch_graphs import BatchGraphs
from core.training.passes.linear import LinearPass
from core.training.passes.transformer import TransformerPass
from core.training.passes.weights import Weights


class TrainingPass:
    """Writes the gradients of a model, computing in the type of its weights or in bfloat16."""

    def __init__(self, model: Transformer, parameters: FlatParameters, in_bfloat16: bool) -> None:
        embedded = [*model.src_embedding.parameters(), *model.tgt_embedding.parameters()]
        accumulated_only = [weight for weight in embedded if weight is not model.output.weight]
        dtype = torch.bfloat16 if in_bfloat16 else parameters.values.dtype
        self._parameters = parameters
        self._weights = Weights(model, parameters, dtype, accumulated_only)
        self._transformer = TransformerPass(model, self._weights)
        self._loss = LossPass(LinearPass(model.output, self._weights))
        self._graphs = BatchGraphs(model) if parameters.values.is_cuda else None

    def write_gradients(self, batches: Sequence[Batch], label_smoothing: float, num_tokens: int | None = None) -> Loss:
        """Write the gradient of the mean loss over all target tokens of all batches, teacher-forced; return the means.

        With `num_tokens`, the step's target tokens in all processes, both are this process's part of that mean.
        """
        if not batches:
            return self._zero_gradients()
        scale = 1.0 / (num_tokens or sum(batch.num_target_tokens for batch in batches))
        losses = self._parameters.gradients.new_zeros(2)
        self._weights.begin_step()
        for number, batch in enumerate(batches):
            self._weights.begin_batch(num_earlier=number)
            losses += self._write_batch(batch, label_smoothing, scale)
        self._weights.end_step()
        return Loss(*losses.unbind())

    def _zero_gradients(self) -> Loss:
        """For a process that has no sentence in this step."""
        gradients = self._parameters.gradients.zero_()
        return Loss(gradients.new_zeros(()), gradients.new_zeros(()))

    def _write_batch(self, batch: Batch, label_smoothing: float, scale: float) -> Tensor:
        """The batch's part of both losses [2]."""
        if self._graphs is not None:
            return self._graphs.run(self._write_rows, batch, label_smoothing, scale)
        return self._write_real_rows(batch.to(self._weights.device), label_smoothing, scale)

    def _write_real_rows(self, batch: Batch, label_smoothing: float, scale: float) -> Tensor:
        """As `_write_rows`, but only the rows of real tokens are projected onto the vocabulary."""
        hidden, real = self._transformer.forward(batch), target_positions(batch)
        targets = batch.tgt_output.flatten()[real]
        loss, d_real = self._loss.forward_backward(hidden[real], targets, label_smoothing, scale)
        self._backward(torch.zeros_like(hidden).index_copy_(0, real, d_real))
        return torch.stack(loss)

    def _write_rows(self, batch: Batch, label_smoothing: float, scale: Tensor) -> Tensor:
        """All rows, those of padding too: the same operations however many tokens are real.

        Where there is nothing to write, the target is `<pad>`, an id that no token has.
        """
        hidden = self._transformer.forward(batch)
        targets = batch.tgt_output.flatten()
        loss, d_hidden = self._loss.forward_backward_masked(hidden, targets, targets != PAD_ID, label_smoothing, scale)
        self._backward(d_hidden)
        return torch.stack(loss)

    def _backward(self, d_hidden: Tensor) -> None:
        d_embedded = self._transformer.backward(d_hidden)
        self._weights.begin_total_gradients()
        self._transformer.embed_backward(*d_embedded)
