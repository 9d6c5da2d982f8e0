"""One row of the grid of all heads: the heads of one layer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.analysis.alignment import Scores
from core.analysis.attention_entropy import HeadEntropy, head_entropy
from core.probes import Attention
from gui.sentences.selection import AttentionKind


@dataclass(frozen=True, eq=False)
class HeadRow:
    """The heads of one layer and one kind of attention."""

    kind: AttentionKind
    layer: int
    heads: Attention  # [H, queries, keys]
    other: Attention | None = None  # [H, queries, keys] to subtract
    alignment: Scores | None = None  # [H] scores at the step of `heads`; None if no gold alignment is known

    @cached_property
    def shown_weights(self) -> NDArray[np.floating]:
        """[H, queries, keys] weights, or their differences from `other`."""
        return self.heads if self.other is None else self.heads.astype(np.float32) - self.other.astype(np.float32)

    @cached_property
    def entropy(self) -> HeadEntropy:
        """The entropy of each head's own weights, whatever they are compared with."""
        return head_entropy(self.heads, is_causal=self.kind == "decoder_self")
