"""What is minimised, and what is reported: cross entropy with and without label smoothing."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from core.data.batching import Batch
from core.training.passes.linear import LinearPass
from core.training.passes.softmax import softmax
from core.training.passes.weights import at_least_float32

# Logits worked on at a time: 8 MB in float32. A core's cache helps with fewer, matrix products want more.
_CHUNK = 1 << 21


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
        parts = []
        for start in range(0, len(hidden), num_rows):
            rows = slice(start, start + num_rows)
            losses, d_logits = _losses(self._output.forward(hidden[rows]), targets[rows], eps, scale)
            self._output.backward_rows(d_logits, hidden[rows], d_hidden[rows], is_first=start == 0)
            parts.append(losses)
        return Loss(*torch.stack(parts).sum(0).unbind()), d_hidden


def _losses(logits: Tensor, targets: Tensor, eps: float, scale: float) -> tuple[Tensor, Tensor]:
    """Objective and cross entropy [2] of logits [N, V], and the objective's gradient, all times `scale`."""
    exact = logits.to(at_least_float32(logits.dtype))
    right = targets[:, None]
    right_logits, mean_logits, largest = exact.gather(1, right)[:, 0], exact.mean(1), exact.amax(1)
    probabilities = softmax(exact)  # in the same place
    log_sums = largest - probabilities.amax(1).log()
    cross_entropy = (log_sums - right_logits).sum()
    objective = torch.lerp(cross_entropy, (log_sums - mean_logits).sum(), eps) if eps > 0.0 else cross_entropy
    d_logits = probabilities.scatter_add_(1, right, probabilities.new_full((1, 1), eps - 1.0).expand_as(right))
    if eps > 0.0:
        d_logits.sub_(eps / logits.shape[1])
    return torch.stack((objective, cross_entropy)).mul_(scale), d_logits.mul_(scale).to(logits.dtype)


def target_positions(batch: Batch) -> Tensor:
    """Where among a batch's B * T positions the N real target tokens stand. [N].

    Their number is known on the CPU, so nothing waits for the device.
    """
    return torch.nonzero_static(batch.tgt_mask.flatten(), size=batch.num_target_tokens)[:, 0]
