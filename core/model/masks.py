"""Which positions may attend to which: True where attention is allowed."""

import torch
from torch import Tensor


def padding_mask(mask: Tensor) -> Tensor:
    """Let every head and query attend to tokens only. [B, S] -> [B, 1, 1, S]."""
    return mask[:, None, None, :]


def causal_mask(length: int, device: torch.device) -> Tensor:
    """Let position t attend to positions 0 to t (Vaswani et al. 2017, section 3.2.3). [T, T]."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


def target_mask(mask: Tensor) -> Tensor:
    """Padding and causal mask in one, for the decoder's self-attention. [B, T] -> [B, 1, T, T]."""
    return padding_mask(mask) & causal_mask(mask.shape[1], mask.device)
