"""Cross entropy with label smoothing, which is minimised, and without it, which is reported."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from core.data.batch import Batch
from core.model.softmax import softmax
from core.training.passes.linear import LinearPass
from core.training.passes.weights import at_least_float32

# Bytes of logits computed at a time: fewer fit a core's cache better, more make matrix products faster.
_CHUNK_BYTES = 1 << 23
# On a GPU many rows are needed to keep it busy: 256 and 512 MB save 2 and 3 % of the kernels' time in the base model.
_GPU_CHUNK_BYTES = 1 << 27
# The fewest rows at a time, since each chunk reads and writes the gradient of the whole weight. With 50,000 tokens in
# the vocabulary, where 8 MB are 41 rows, 2,048 rows take 1,070 ms instead of 2,510 in float32, and 530 instead of 740
# in bfloat16 (two threads).
_MIN_ROWS = 256


class Loss(NamedTuple):
    """In nats, over the target tokens, `<eos>` included and `<pad>` excluded. Scalars on the device."""

    objective: Tensor  # smoothed: what is minimised
    cross_entropy: Tensor  # unsmoothed: what is reported


class LossPass:
    """Cross entropy of the projection onto the vocabulary, with its gradient computed in the same pass.

    It works on some rows at a time, so that the logits are never all in memory: 2,048 rows of 8,000 would take 65 MB,
    and as much again for their gradient.

    The smoothed target is (1 - eps) one-hot + eps / V on each of the V tokens, the correct one, `<pad>` and `<bos>`
    included (Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4), as in `F.cross_entropy`.
    The Annotated Transformer leaves `<pad>` out; that differs by eps / V on one logit.
    """

    def __init__(self, output: LinearPass) -> None:
        self._output = output
        weight = output.weight.value
        chunk_bytes = _CHUNK_BYTES if weight.is_cpu else _GPU_CHUNK_BYTES
        self._rows_per_chunk = max(_MIN_ROWS, chunk_bytes // (weight.element_size() * len(weight)))
        # Where bfloat16 logits become float32 probabilities. Kept: allocating 16 MB each time costs 4,000 page faults.
        is_buffer_needed = weight.is_cpu and weight.dtype != at_least_float32(weight.dtype)
        num_buffer_rows = self._rows_per_chunk if is_buffer_needed else 0
        self._float32_buffer = weight.new_empty(num_buffer_rows, len(weight), dtype=at_least_float32(weight.dtype))

    def forward_backward(self, hidden: Tensor, targets: Tensor, eps: float, scale: float) -> tuple[Loss, Tensor]:
        """Losses of hidden states [N, d_model] against targets [N], and the objective's gradient, all times `scale`."""
        objective, cross_entropy, d_hidden = self._rows(hidden, targets, eps, scale, len(hidden))
        return Loss(objective.sum() * scale, cross_entropy.sum() * scale), d_hidden

    def forward_backward_masked(
        self, hidden: Tensor, targets: Tensor, mask: Tensor, eps: float, scale: Tensor
    ) -> tuple[Loss, Tensor]:
        """The same for the rows where `mask` [N] is True, by the same operations whatever their number and scale."""
        counted = mask[:, None].to(hidden.dtype)
        num_counted = mask.sum(dtype=at_least_float32(hidden.dtype))
        objective, cross_entropy, d_hidden = self._rows(hidden * counted, targets, eps, 1.0, num_counted, counted)
        for gradient in self._output.gradients:
            gradient.mul_(scale)
        scales = mask[:, None] * scale
        return Loss((objective * scales).sum(), (cross_entropy * scales).sum()), d_hidden.mul_(scales)

    def _rows(
        self,
        hidden: Tensor,
        targets: Tensor,
        eps: float,
        scale: float,
        num_counted: int | Tensor,
        counted: Tensor | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Objective and cross entropy of each row [N, 1], and the gradient of hidden states, times `scale`.

        Where `counted` [N, 1] is zero instead of one, the hidden state must be zero, too, and the results mean nothing.
        """
        d_hidden = torch.empty_like(hidden)
        cross_entropies, correct_logits = [], []
        sums = self._output.begin_chunks(hidden, num_counted, shift=-scale * eps / len(self._output.weight.value))
        for start in range(0, len(hidden), self._rows_per_chunk):
            rows = slice(start, start + self._rows_per_chunk)
            logits, correct = self._output.forward(hidden[rows]), targets[rows, None]
            correct_logits.append(logits.gather(1, correct))
            probabilities = softmax(self._as_float32(logits))
            cross_entropies.append(_cross_entropy(probabilities, correct))
            minus_target = probabilities.new_full((1, 1), eps - 1.0).expand_as(correct)
            d_logits = self._as_computed(probabilities.scatter_add_(1, correct, minus_target), logits)
            counted_rows = None if counted is None else counted[rows]
            self._output.backward_chunk(d_logits, hidden[rows], d_hidden[rows], scale, counted_rows)
        cross_entropy = torch.cat(cross_entropies)
        objective = cross_entropy
        if eps > 0.0:
            # Cross entropy to the uniform distribution: log-sum-exp (cross entropy plus right logit) minus mean logit.
            to_uniform = cross_entropy + torch.cat(correct_logits) - self._mean_logits(hidden, sums)
            # Never below that distribution's entropy; capped cross entropies of a diverging run would lead there.
            to_uniform.clamp_(min=math.log(len(self._output.weight.value)))
            objective = torch.lerp(cross_entropy, to_uniform, eps)
        return objective, cross_entropy, d_hidden

    def _as_float32(self, logits: Tensor) -> Tensor:
        if len(self._float32_buffer):
            return self._float32_buffer[: len(logits)].copy_(logits)
        return logits.to(self._float32_buffer.dtype)

    def _as_computed(self, gradient: Tensor, logits: Tensor) -> Tensor:
        """The gradient, written over the logits, which are no longer needed."""
        return gradient if gradient.dtype == logits.dtype else logits.copy_(gradient)

    def _mean_logits(self, hidden: Tensor, sums: Tensor) -> Tensor:
        """Each row's mean logit [N, 1], from the sums of the weights, so that the logits are not read again."""
        bias = self._output.bias
        mean = torch.mv(hidden.to(sums.dtype), sums / len(self._output.weight.value))[:, None]
        return mean if bias is None else mean.add_(bias.value.mean(dtype=sums.dtype))


def _cross_entropy(probabilities: Tensor, correct: Tensor) -> Tensor:
    """Of each row [N, 1]. Probabilities below float32's range count as its smallest number: at most 87 nats."""
    smallest = torch.finfo(probabilities.dtype).tiny
    return probabilities.gather(1, correct).clamp_(min=smallest).log_().neg_()


def target_positions(batch: Batch) -> Tensor:
    """The indices [N] of the N real target tokens among a batch's B * T positions.

    Their number is known on the CPU, so nothing waits for the device.
    """
    return torch.nonzero_static(batch.tgt_mask.flatten(), size=batch.num_target_tokens)[:, 0]
