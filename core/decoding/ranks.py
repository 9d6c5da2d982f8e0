"""The rank of a token among all that the model could produce."""

from __future__ import annotations

from torch import Tensor


def ranks_of(chosen: Tensor, scores: Tensor) -> Tensor:
    """How many tokens score higher than the chosen one: its score [..., 1] among scores [..., V] -> [...].

    V where the scores are NaN: no token is right for a model whose outputs overflow.
    """
    return scores.shape[-1] - (scores <= chosen).sum(-1)
