"""What an attention map shows of the chosen head, or of all of a layer: its weights, its rows' and columns' words."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.probes import Attention, Feed, ProbedSentence
from gui.sentences.selection import Kind, Pooled, Selection
from gui.sentences.shown_sentence import ShownSentence
from gui.sentences.tokens import isolated

DIVERGED = "White: no numbers any more (NaN), since the run has diverged."


@dataclass(frozen=True, eq=False)
class HeadPicture:
    """One head of one sentence, or the mean or maximum of a layer's; rows read from columns."""

    weights: NDArray[np.floating]  # [rows, columns]; of one head, or the mean, each row sums to 1
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    is_causal: bool  # a row may not read the columns right of it
    alignment: tuple[tuple[int, int], ...] = ()  # gold (row, column)
    score: str = ""  # of the head against the gold alignment, in words
    against: str = ""  # what was taken away from the weights, where they are differences

    @property
    def gold_colour(self) -> str:
        """Of the gold alignment's dashes, by its name in the theme: in a difference orange already stands for more."""
        return "muted" if self.against else "validation"

    @property
    def legend(self) -> str:
        """What colours and dashes say, or why there are none; empty where there is nothing to say of them."""
        if np.isnan(self.weights).any():
            return DIVERGED
        colours = f"Orange: more than {self.against}; blue: less." if self.against else ""
        said = f"Dashed: alignment; this head {self.score}." if self.score else "Dashed: dataset's alignment."
        gold = said if self.alignment else ""
        return " ".join(filter(None, (colours, gold)))

    @property
    def readers(self) -> str:
        """What a row stands for, in words."""
        return "who reads" if self.rows == self.columns else "token → prediction"


def chosen_picture(shown: ShownSentence, selection: Selection) -> HeadPicture:
    """What is chosen of a sentence; where it is compared with another, less the same of that one."""
    picture = chosen_head(shown.sentence, selection)
    if shown.other is None:
        return picture
    other = chosen_head(shown.other.sentence, selection)
    differences = picture.weights.astype(np.float32) - other.weights.astype(np.float32)
    return replace(picture, weights=differences, against=shown.other.short_name)


def chosen_head(sentence: ProbedSentence, selection: Selection) -> HeadPicture:
    """The chosen head of a sentence, or what is chosen over all heads of its layer."""
    kind, layer, head = selection.place_in(sentence)
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


def _labels(sentence: ProbedSentence, feed: Feed, kind: Kind) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if kind == "encoder_self":
        return sentence.src_tokens, sentence.src_tokens
    rows = tuple(
        f"{isolated(read)} → {isolated(written)}" for read, written in zip(feed.tgt_input, feed.predicted, strict=True)
    )
    return rows, feed.tgt_input if kind == "decoder_self" else sentence.src_tokens
