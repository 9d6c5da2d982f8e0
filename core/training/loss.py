"""What is minimised, and what is reported: cross entropy with and without label smoothing."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from core.data.batching import Batch
from core.training.passes.linear import LinearPass
from core.training.passes.softmax import softmax
from core.training.passes.weights import at_least_float32

# Logits of this many elements are worked on at a time.
_CHUNK = 1 << 22


class Loss(NamedTuple):
    """Sums over the target tokens of a batch, in nats; `<eos>` is counted, `<pad>` is not. Scalars on the device."""

    objective: Tensor  # smoothed: what is minimised
    cross_entropy: Tensor  # unsmoothed: what is reported


class LossPass:
    """Cross entropy of the projection onto the vocabulary, with its gradient made in the same pass.

    The smoothed target is (1 - eps) one-hot + eps / V on each of the V tokens, the right one, `<pad>` and `<bos>`
    included (Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4), as in `F.cross_entropy`.
    The Annotated Transformer leaves `<pad>` out; that differs by eps / V on one logit.
    """

    def __init__(self, output: LinearPass) -> None:
        self._output = output

    def forward_backward(self, hidden: Tensor, targets: Tensor, eps: float, scale: float) -> tuple[Loss, Tensor]:
        """Hidden states [N, d_model] against targets [N]: losses, and the objective's gradient, all times `scale`."""
        d_hidden = torch.empty_like(hidden)
        num_rows = max(1, _CHUNK // self._output.weight.value.shape[0])
        chunks = (torch.split(rows, num_rows) for rows in (hidden, targets, d_hidden))
        parts = [self._chunk(h, t, d_h, eps, scale) for h, t, d_h in zip(*chunks, strict=True)]
        return Loss(*torch.stack(parts).sum(0).mul_(scale).unbind()), d_hidden

    def _chunk(self, hidden: Tensor, targets: Tensor, d_hidden: Tensor, eps: float, scale: float) -> Tensor:
        """Objective and cross entropy of some rows; their gradient goes to d_hidden."""
        logits = self._output.forward(hidden)
        logits = logits.to(at_least_float32(logits.dtype))
        targets = targets[:, None]
        largest, mean = logits.amax(1), logits.mean(1) if eps > 0.0 else 0.0
        target_logits = logits.gather(1, targets)[:, 0]
        probabilities = softmax(logits)
        log_sum = largest - probabilities.amax(1).log()
        cross_entropy = (log_sum - target_logits).sum()
        objective = cross_entropy
        d_logits = probabilities.scatter_add_(1, targets, logits.new_full((1, 1), eps - 1.0).expand_as(targets))
        if eps > 0.0:
            d_logits.sub_(eps / logits.shape[1])
            objective = torch.lerp(cross_entropy, (log_sum - mean).sum(), eps)
        d_hidden.copy_(self._output.backward(d_logits.mul_(scale).to(hidden.dtype), hidden))
        return torch.stack((objective, cross_entropy))


def target_positions(batch: Batch) -> Tensor:
    """Where among a batch's B * T positions the N real target tokens stand. [N].

    Their number is known on the CPU, so nothing waits for the device.
    """
    return torch.nonzero_static(batch.tgt_mask.flatten(), size=batch.num_target_tokens)[:, 0]
