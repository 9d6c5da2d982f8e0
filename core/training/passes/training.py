"""Forward and backward of a whole training step's batch."""

from __future__ import annotations

import torch

from core.data.batching import Batch
from core.model.transformer import Transformer
from core.training.flat_parameters import FlatParameters
from core.training.loss import Loss, LossPass, target_positions
from core.training.passes.linear import LinearPass
from core.training.passes.transformer import TransformerPass
from core.training.passes.weights import Weights


class TrainingPass:
    """Adds gradients of batches to those of a model, computing in the weights' type or in bfloat16."""

    def __init__(self, model: Transformer, parameters: FlatParameters, in_bfloat16: bool) -> None:
        self._weights = Weights(model, parameters, torch.bfloat16 if in_bfloat16 else parameters.values.dtype)
        self._transformer = TransformerPass(model, self._weights)
        self._loss = LossPass(LinearPass(model.output, self._weights))

    def begin_step(self) -> None:
        """Read the weights of this moment."""
        self._weights.begin_step()

    def add_gradients(self, batch: Batch, label_smoothing: float, num_tokens: int) -> Loss:
        """Teacher-forced, of the mean over `num_tokens` tokens, of which the batch has some; its part of the means.

        Only the rows of real tokens are projected onto the vocabulary.
        """
        hidden, real = self._transformer.forward(batch), target_positions(batch)
        loss, d_real = self._loss.forward_backward(
            hidden[real], batch.tgt_output.flatten()[real], label_smoothing, 1.0 / num_tokens
        )
        d_embedded = self._transformer.backward(torch.zeros_like(hidden).index_copy_(0, real, d_real))
        self._weights.add_to_totals()
        self._transformer.embed_backward(*d_embedded)
        return loss
