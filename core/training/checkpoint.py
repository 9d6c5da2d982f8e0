"""What a checkpoint holds besides weights: tensors under their names, as numpy, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor


def arrays(tensors: Mapping[str, Tensor]) -> dict[str, NDArray[Any]]:
    """In main memory, to be written at once: of tensors that are there already these are views, which steps change."""
    return {name: tensor.detach().cpu().numpy() for name, tensor in tensors.items()}


def tensors(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Tensor]:
    """The same numbers as tensors of their own."""
    return {name: torch.tensor(array) for name, array in arrays.items()}
