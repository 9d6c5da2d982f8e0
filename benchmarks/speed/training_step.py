"""How everyone but us is trained: the loop that tutorials show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle

import torch
import torch.nn.functional as F
from torch import Tensor

from benchmarks.speed.rival import Rival
from benchmarks.speed.sizes import LABEL_SMOOTHING, Precision
from core.data.batch import Batch
from core.data.special_tokens import PAD_ID

LEARNING_RATE, BETAS, EPS = 1e-4, (0.9, 0.98), 1e-9


def training(rival: Rival, batches: Sequence[Batch], precision: Precision) -> Callable[[], None]:
    """A function that takes one training step, cycling through the batches: forward, backward, Adam.

    bfloat16 is torch's autocast, as documented.
    """
    rival.train()
    adam = torch.optim.Adam(rival.parameters(), LEARNING_RATE, BETAS, EPS, fused=rival.fused_adam)
    source, device = cycle(batches), batches[0].src.device.type

    def step() -> None:
        adam.zero_grad()
        with torch.autocast(device, torch.bfloat16, enabled=precision == "bfloat16"):
            loss = rival.loss(next(source))
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()

    return step


def mean_loss(logits: Tensor, batch: Batch) -> Tensor:
    """Smoothed cross entropy of logits [B, T, V], the mean over the target tokens."""
    return F.cross_entropy(
        logits.flatten(0, 1), batch.tgt_output.flatten(), ignore_index=PAD_ID, label_smoothing=LABEL_SMOOTHING
    )
