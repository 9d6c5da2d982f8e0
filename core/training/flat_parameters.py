"""All weights of a model in one tensor, and all gradients in another."""

import torch
from torch import Tensor, nn


class FlatParameters:
    """Lays a model's parameters out in one tensor, of which they become views, and its gradients in another.

    The optimizer's update, the gradient's norm, clipping and zeroing are then one operation each. For the 72
    parameters of a model with d_model 64 and 2 + 2 layers these take 0.10 ms of a step's 11 ms instead of 0.50 (one
    thread). Create it after the model is on its device; parameters must not be replaced afterwards.
    """

    def __init__(self, model: nn.Module) -> None:
        named = dict(model.named_parameters())
        first = next(iter(named.values()))
        self._shapes = {name: parameter.shape for name, parameter in named.items()}
        self.values = first.new_empty(sum(parameter.numel() for parameter in named.values())).detach()
        self.gradients = torch.zeros_like(self.values)
        for parameter, value, gradient in zip(
            named.values(),
            self.named_views(self.values).values(),
            self.named_views(self.gradients).values(),
            strict=True,
        ):
            value.copy_(parameter.detach())
            parameter.data = value
            parameter.grad = gradient

    def named_views(self, flat: Tensor) -> dict[str, Tensor]:
        """A tensor laid out like the weights -> views under the parameters' names and in their shapes."""
        parts = torch.split(flat, [shape.numel() for shape in self._shapes.values()])
        return {name: part.view(shape) for (name, shape), part in zip(self._shapes.items(), parts, strict=True)}
