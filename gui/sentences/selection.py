"""What all panels about the model show: which sentence, which attention head, and how the decoder is fed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal

from core.answers.head_ablation import HeadId
from core.probes import Attention, Feed, ProbedSentence

AttentionKind = Literal["encoder_self", "decoder_self", "cross"]
Pooled = Literal["", "mean", "max"]
ATTENTION_KINDS: tuple[AttentionKind, ...] = ("encoder_self", "decoder_self", "cross")
KIND_TITLES: dict[AttentionKind, str] = {
    "encoder_self": "encoder self",
    "decoder_self": "decoder self",
    "cross": "cross",
}
POOLED_TITLES: dict[Pooled, str] = {"mean": "mean of heads", "max": "maximum of heads"}


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """One choice. Layer and head count from 0; -1 is the last."""

    sentence: str = ""  # its source text; one that the run does not follow means the first that it follows
    kind: AttentionKind = "cross"
    layer: int = -1
    head: int = 0
    pooled: Pooled = ""  # the mean or maximum over all heads of the layer, instead of one head
    free_running: bool = False
    square_root: bool = False  # whether the colour scale is a square root
    as_lines: bool = False  # whether the large map shows lines between tokens instead of cells


class Selection(QObject):
    """The choice that all views share; emits `changed` after every change."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.chosen = Chosen()

    def choose(self, **changes: Any) -> None:
        """Change fields of `chosen`, as in `choose(layer=1, head=2)`. Choosing a head ends pooling."""
        if "head" in changes:
            changes = {"pooled": ""} | changes
        chosen = replace(self.chosen, **changes)
        if chosen != self.chosen:
            self.chosen = chosen
            self.changed.emit()

    def sentence_index(self, sentences: Sequence[str]) -> int:
        """The index of the chosen sentence among those a run follows (at least one); 0 if it is not among them."""
        return sentences.index(self.chosen.sentence) if self.chosen.sentence in sentences else 0

    def step_sentence(self, sentences: Sequence[str], by: int) -> None:
        """Choose the sentence this many places on among those a run follows, from the last on to the first again."""
        if sentences:
            self.choose(sentence=sentences[(self.sentence_index(sentences) + by) % len(sentences)])

    def feed_of(self, sentence: ProbedSentence) -> Feed:
        """The chosen feed; a sentence without a reference has only the free-running one."""
        if self.chosen.free_running or sentence.by_reference is None:
            return sentence.free_running
        return sentence.by_reference

    def runs_free(self, sentence: ProbedSentence) -> bool:
        """Whether the chosen feed of this sentence is the free-running one."""
        return self.feed_of(sentence) is sentence.free_running

    def attention_of(self, sentence: ProbedSentence, kind: AttentionKind | None = None) -> Attention:
        """The weights of every layer and head, [L, H, queries, keys]; of the chosen kind if none is given."""
        kind = kind or self.chosen.kind
        if kind == "encoder_self":
            return sentence.encoder_self
        feed = self.feed_of(sentence)
        return feed.decoder_self if kind == "decoder_self" else feed.cross

    def head_in(self, sentence: ProbedSentence) -> HeadId:
        """The chosen head. A layer or head number that the model lacks wraps around, so that -1 is the last."""
        num_layers, num_heads = self.attention_of(sentence).shape[:2]
        return HeadId(self.chosen.kind, self.chosen.layer % num_layers, self.chosen.head % num_heads)
