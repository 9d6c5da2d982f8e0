"""Gives a model's weights by name, and loads them back."""

from collections.abc import Mapping, Set

import torch
from torch import Tensor

from core.errors import UserError
from core.model.transformer import Transformer


def named_weights(model: Transformer) -> dict[str, Tensor]:
    """Every parameter once (a tied one under its first name), on the model's device; views, so copy what must last."""
    return {name: parameter.detach() for name, parameter in model.named_parameters()}


@torch.no_grad()
def load_weights(model: Transformer, tensors: Mapping[str, Tensor]) -> None:
    """Copy tensors as given by `named_weights` into the model, whatever device or type either is on.

    Raises UserError, and changes nothing, when a tensor is missing, unknown or of another shape.
    """
    own = named_weights(model)
    _require_same_names(own.keys(), tensors.keys())
    for name, tensor in tensors.items():
        if tensor.shape != own[name].shape:
            raise UserError(
                f"The saved tensor {name} has shape {list(tensor.shape)}; this model's has {list(own[name].shape)}.",
                "Use the config and the vocabulary that these weights were trained with.",
            )
    for name, tensor in tensors.items():
        own[name].copy_(tensor)


def _require_same_names(own: Set[str], given: Set[str]) -> None:
    """Name the first difference."""
    missing, unknown = [n for n in own if n not in given], [n for n in given if n not in own]
    if missing or unknown:
        what = f"lack the tensor {missing[0]}" if missing else f"hold a tensor this model lacks, {unknown[0]}"
        others = len(missing) + len(unknown) - 1
        raise UserError(
            f"The saved weights {what}" + (f" ({others} more differ)." if others else "."),
            "Use the config that these weights were trained with.",
        )
