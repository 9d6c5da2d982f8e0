"""A sentence translated: the output, and what there is to see of how it was written."""

from __future__ import annotations

from dataclasses import dataclass

from core.answers.timed import TimedAnswer
from core.probes import ProbedSentence


@dataclass(frozen=True, kw_only=True)
class ScoredOutput:
    """One of the outputs that decoding ended with; `score` is its log-probability over the length penalty."""

    output: str
    score: float
    finished: bool  # False where max_length cut it


@dataclass(frozen=True, kw_only=True)
class Translation(TimedAnswer):
    """One sentence translated, with the weights of `step`."""

    step: int
    source: str
    output: str  # target tokens joined as their tokenizer joins them
    unknown: tuple[str, ...]  # source tokens the vocabulary does not have, in order
    num_src_tokens: int  # <eos> counted, and so in the next
    longest_trained: int | None  # the longest source of the train split; None where a run does not say
    finished: bool  # False where max_length cut it
    n_best: tuple[ScoredOutput, ...]  # best first, where asked for
    sentence: ProbedSentence | None  # probabilities, runners-up and attention, where asked for
    prefix: tuple[str, ...] = ()  # the tokens of the output that the model did not choose

    @property
    def length_note(self) -> str:
        """Says that the source is longer than any that was learned from; empty where it is not."""
        if self.longest_trained is None or self.num_src_tokens <= self.longest_trained:
            return ""
        return (
            f"The text has {self.num_src_tokens:,} tokens, <eos> counted, and the longest source trained on "
            f"{self.longest_trained:,}: places beyond were never learned, and the output may break off."
        )
