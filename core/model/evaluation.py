"""A context manager for evaluating a model: no dropout, no gradients."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Switch dropout and gradients off inside the block, and restore the model's mode afterwards."""
    was_training = model.training
    if was_training:  # changing the mode walks all modules
        model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        if was_training:
            model.train()
