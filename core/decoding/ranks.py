"""Where a token stands among all that the model could write."""

from __future__ import annotations

from torch import Tensor


def ranks_of(chosen: Tensor, scores: Tensor) -> Tensor:
    """How many tokens score higher than the chosen one: its score [..., 1] among scores [..., V] -> [...].

    All V where the scores are no numbers: of a model whose outputs overflow no token is right.
    """
    return scores.shape[-1] - (scores <= chosen).sum(-1)
