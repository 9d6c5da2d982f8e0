"""The heads of one layer, as the grid of all heads shows them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.meaning.alignment import Scores
from core.meaning.attention_entropy import HeadEntropy, head_entropy
from core.probes import Attention
from gui.sentences.selection import Kind


@dataclass(frozen=True, eq=False)
class HeadRow:
    """The heads of one layer of one kind."""

    kind: Kind
    layer: int
    heads: Attention  # [H, queries, keys]
    other: Attention | None = None  # likewise, to be taken away
    alignment: Scores | None = None  # [H] scores at the step of `heads`; None where no gold is known

    @cached_property
    def drawn(self) -> NDArray[np.floating]:
        """The weights, or how much they differ from the others. [H, queries, keys]."""
        return self.heads if self.other is None else self.heads.astype(np.float32) - self.other.astype(np.float32)

    @cached_property
    def entropy(self) -> HeadEntropy:
        """How widely each head looks, whatever it is compared with."""
        return head_entropy(self.heads, is_causal=self.kind == "decoder_self")
