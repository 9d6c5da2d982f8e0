"""What is minimised, and what is reported: cross entropy with and without label smoothing."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from core.data.batching import Batch
from core.model.transformer import Transformer


class Loss(NamedTuple):
    """Sums over the target tokens of a batch, in nats; `<eos>` is counted, `<pad>` is not. Scalars on the device."""

    objective: Tensor  # smoothed: what is minimised
    cross_entropy: Tensor  # unsmoothed: what is reported; carries no gradient


def batch_loss(model: Transformer, batch: Batch, label_smoothing: float) -> Loss:
    """The loss of a batch, teacher-forced. Only the rows of real tokens are projected onto the vocabulary."""
    hidden = model.decode(batch.tgt_input, model.encode(batch.src, batch.src_mask), batch.src_mask, batch.tgt_mask)
    rows, targets = target_rows(hidden, batch)
    return smoothed_cross_entropy(model.project(rows), targets, label_smoothing)


def target_rows(hidden: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
    """Hidden states [B, T, d_model] -> those of the N real target tokens [N, d_model], and the tokens [N].

    The number of tokens is known on the CPU, so nothing waits for the device.
    """
    rows, targets = hidden.flatten(0, 1), batch.tgt_output.flatten()
    if batch.num_target_tokens == len(targets):
        return rows, targets
    real = torch.nonzero_static(batch.tgt_mask.flatten(), size=batch.num_target_tokens)[:, 0]
    return rows[real], targets[real]


def smoothed_cross_entropy(logits: Tensor, targets: Tensor, label_smoothing: float) -> Loss:
    """Logits [N, V] against targets [N], summed over N.

    The smoothed target is (1 - eps) one-hot + eps / V on each of the V tokens, the right one, `<pad>` and `<bos>`
    included (Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4), as in `F.cross_entropy`.
    The Annotated Transformer leaves `<pad>` out; that differs by eps / V on one logit.
    """
    log_probabilities = F.log_softmax(logits, dim=-1, dtype=torch.float32)
    cross_entropy = F.nll_loss(log_probabilities, targets, reduction="sum")
    if label_smoothing == 0.0:
        return Loss(cross_entropy, cross_entropy.detach())
    uniform = log_probabilities.sum() * (-label_smoothing / logits.shape[-1])
    return Loss(torch.add(uniform, cross_entropy, alpha=1.0 - label_smoothing), cross_entropy.detach())
