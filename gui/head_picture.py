"""What an attention map shows of the chosen head: its weights and the words of its rows and columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.probes import Feed, ProbedSentence
from gui.selection import Kind, Selection


@dataclass(frozen=True, eq=False)
class HeadPicture:
    """One head of one sentence; rows read from columns."""

    weights: NDArray[np.float16]  # [rows, columns], each row sums to 1
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    is_causal: bool  # a row may not read the columns right of it
    alignment: tuple[tuple[int, int], ...] = ()  # gold (row, column)

    @property
    def readers(self) -> str:
        """What a row stands for, in words."""
        return "who reads" if self.rows == self.columns else "after a token → what it predicts"


def chosen_head(sentence: ProbedSentence, selection: Selection) -> HeadPicture:
    """The chosen head of a sentence."""
    kind, layer, head = selection.place_in(sentence)
    weights = selection.attention_of(sentence)[layer, head]
    feed = selection.feed_of(sentence)
    rows, columns = _labels(sentence, feed, kind)
    gold = sentence.alignment if kind == "cross" and feed is sentence.by_reference else ()
    return HeadPicture(weights, rows, columns, kind == "decoder_self", tuple((t, s) for s, t in gold))


def _labels(sentence: ProbedSentence, feed: Feed, kind: Kind) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if kind == "encoder_self":
        return sentence.src_tokens, sentence.src_tokens
    rows = tuple(f"{read} → {written}" for read, written in zip(feed.tgt_input, feed.predicted, strict=True))
    return rows, feed.tgt_input if kind == "decoder_self" else sentence.src_tokens
