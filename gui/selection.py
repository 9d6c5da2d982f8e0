"""What every picture of the model is drawn of: which sentence, which attention, fed how."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal

from core.probes import Attention, Feed, Probe, ProbedSentence

Kind = Literal["encoder_self", "decoder_self", "cross"]
KINDS: tuple[Kind, ...] = ("encoder_self", "decoder_self", "cross")
KIND_TITLES: dict[Kind, str] = {"encoder_self": "encoder self", "decoder_self": "decoder self", "cross": "cross"}


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """One choice; sentence, layer and head count from 0; -1 is the last."""

    sentence: int = 0
    kind: Kind = "cross"
    layer: int = -1
    head: int = 0
    free_running: bool = False
    square_root: bool = False  # the colour scale


class Selection(QObject):
    """The choice shared by the views; `changed` follows every change."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.chosen = Chosen()

    def choose(self, **changes: Any) -> None:
        """Change fields of `chosen`, such as `choose(layer=1, head=2)`."""
        chosen = replace(self.chosen, **changes)
        if chosen != self.chosen:
            self.chosen = chosen
            self.changed.emit()

    def sentence_of(self, probe: Probe) -> ProbedSentence | None:
        """The chosen sentence of a probe; the last one where it has fewer."""
        if not probe.sentences:
            return None
        return probe.sentences[min(self.chosen.sentence, len(probe.sentences) - 1)]  # -1: the newest

    def feed_of(self, sentence: ProbedSentence) -> Feed:
        """The chosen feed; a sentence without a reference has only the free-running one."""
        if self.chosen.free_running or sentence.by_reference is None:
            return sentence.free_running
        return sentence.by_reference

    def attention_of(self, sentence: ProbedSentence, kind: Kind | None = None) -> Attention:
        """Weights of every layer and head, [L, H, queries, keys]; of the chosen kind where none is named."""
        kind = kind or self.chosen.kind
        if kind == "encoder_self":
            return sentence.encoder_self
        feed = self.feed_of(sentence)
        return feed.decoder_self if kind == "decoder_self" else feed.cross
