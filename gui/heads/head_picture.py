"""What an attention map shows: the weights and labels of the chosen head, or of a layer's heads pooled."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.probes import Attention, Feed, ProbedSentence
from gui.sentences.selection import AttentionKind, Pooled, Selection
from gui.sentences.shown_sentence import ShownSentence
from gui.sentences.tokens import isolated

DIVERGED = "Blank: not a number (NaN), because the run has diverged."


def alignment_help(whose: str) -> str:
    """What an alignment score is, of the head that is called so in the sentence."""
    return (
        "Alignment, teacher-forced: of the target tokens whose source tokens the dataset knows, the share for which "
        f"{whose} reads most from one of those."
    )


@dataclass(frozen=True, eq=False)
class HeadPicture:
    """One head of one sentence, or the mean or maximum of a layer's heads. Rows are queries, columns are keys."""

    weights: NDArray[np.floating]  # [rows, columns]; each row sums to 1, except of a maximum or a difference
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    is_causal: bool  # whether row t attends only to columns 0 to t
    alignment: tuple[tuple[int, int], ...] = ()  # gold (row, column)
    score: str = ""  # the head's score against the gold alignment, in words
    baseline: str = ""  # what was subtracted, if the weights are differences

    @property
    def gold_colour(self) -> str:
        """The theme's colour for the dashes of the gold alignment: in a difference, orange already means more."""
        return "muted" if self.baseline else "validation"

    @property
    def has_diverged(self) -> bool:
        """Whether weights are not numbers, so that there is nothing to paint or to read."""
        return bool(np.isnan(self.weights).any())

    @property
    def legend(self) -> str:
        """What colours and dashes mean, or why there are none; empty if they need no explanation."""
        if self.has_diverged:
            return DIVERGED
        colours = f"Orange: more than {self.baseline}; blue: less." if self.baseline else ""
        dashes = f"Dashed: alignment; this head {self.score}." if self.score else "Dashed: the dataset's alignment."
        gold = dashes if self.alignment else ""
        return " ".join(filter(None, (colours, gold)))

    @property
    def row_meaning(self) -> str:
        """What a row stands for."""
        return "who reads" if self.rows == self.columns else "token → prediction"


def chosen_picture(shown: ShownSentence, selection: Selection) -> HeadPicture:
    """The chosen head or pool of a sentence, minus that of the sentence it is compared with, if any."""
    picture = chosen_head(shown.sentence, selection)
    if shown.other is None:
        return picture
    other = chosen_head(shown.other.sentence, selection)
    differences = picture.weights.astype(np.float32) - other.weights.astype(np.float32)
    return replace(picture, weights=differences, baseline=shown.other.short_name)


def chosen_head(sentence: ProbedSentence, selection: Selection) -> HeadPicture:
    """The chosen head of a sentence, or the chosen mean or maximum over the heads of its layer."""
    kind, layer, head = selection.head_in(sentence)
    weights = _pooled(selection.attention_of(sentence)[layer], head, selection.chosen.pooled)
    feed = selection.feed_of(sentence)
    rows, columns = _labels(sentence, feed, kind)
    gold = sentence.alignment if kind == "cross" and feed is sentence.by_reference else ()
    return HeadPicture(weights, rows, columns, kind == "decoder_self", tuple((t, s) for s, t in gold))


def _pooled(heads: Attention, head: int, pooled: Pooled) -> NDArray[np.floating]:
    """[H, queries, keys] -> [queries, keys]."""
    if not pooled:
        return heads[head]
    weights = heads.astype(np.float32)
    pool: NDArray[np.float32] = weights.mean(axis=0) if pooled == "mean" else weights.max(axis=0)
    return pool


def _labels(sentence: ProbedSentence, feed: Feed, kind: AttentionKind) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if kind == "encoder_self":
        return sentence.src_tokens, sentence.src_tokens
    rows = tuple(
        f"{isolated(read)} → {isolated(written)}" for read, written in zip(feed.tgt_input, feed.predicted, strict=True)
    )
    return rows, feed.tgt_input if kind == "decoder_self" else sentence.src_tokens
