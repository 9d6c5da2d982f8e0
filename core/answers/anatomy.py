"""The answers that the Anatomy view shows of the model's insides: frozen records of numpy and plain Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.answers.timed import TimedAnswer

AttentionKind = Literal["encoder_self", "decoder_self", "cross"]
FloatArray = NDArray[np.float32]
BoolArray = NDArray[np.bool_]
MAX_PADDING = 16
"""The most `<pad>` that may follow a target: more than it takes to see their effect."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DotProduct(TimedAnswer):
    """One head of one sentence, step by step: softmax(Q K' / sqrt(d)) V. T tokens read from S, d is d_head."""

    step: int  # of the weights
    kind: AttentionKind
    layer: int  # from 0, as is the head
    head: int
    query_tokens: tuple[str, ...]  # T tokens
    key_tokens: tuple[str, ...]  # S tokens
    queries: FloatArray  # [T, d]
    keys: FloatArray  # [S, d]
    values: FloatArray  # [S, d]
    scores: FloatArray  # Q K', [T, S]
    scaled: FloatArray  # scores / sqrt(d), [T, S]
    allowed: BoolArray  # the mask, [T, S]
    weights: FloatArray  # softmax over what is allowed; each row sums to 1, [T, S]
    output: FloatArray  # weights V, [T, d]


@dataclass(frozen=True, kw_only=True, eq=False)
class Masks(TimedAnswer):
    """Which positions of a target with padding the decoder's self-attention may read; True where it may."""

    tokens: tuple[str, ...]  # T tokens, `<bos>` first, `<pad>` last
    padding: BoolArray  # [T, T], every row the same
    causal: BoolArray  # [T, T]
    both: BoolArray  # [T, T]
