"""The result of translating a sentence: the output, and how it was decoded."""

from __future__ import annotations

from dataclasses import dataclass

from core.answers.timed import TimedAnswer
from core.probes import ProbedSentence


@dataclass(frozen=True, kw_only=True)
class ScoredOutput:
    """A final hypothesis; `score` is its log-probability divided by the length penalty."""

    output: str
    score: float
    finished: bool  # False if it was cut at max_length


@dataclass(frozen=True, kw_only=True)
class Translation(TimedAnswer):
    """The translation of a sentence with the weights of `step`."""

    step: int
    source: str
    output: str  # target tokens joined as their tokenizer joins them
    unknown: tuple[str, ...]  # source tokens that are not in the vocabulary, in order
    num_src_tokens: int  # <eos> counted, also in the next
    longest_trained: int | None  # tokens of the longest source of the train split; None if the run does not say
    finished: bool  # False if the output was cut at max_length
    n_best: tuple[ScoredOutput, ...]  # best first, if requested
    sentence: ProbedSentence | None  # probabilities, runners-up and attention, if requested
    prefix: tuple[str, ...] = ()  # the first tokens of the output, which were given and not chosen by the model

    @property
    def length_note(self) -> str:
        """A note that the source is longer than any that was trained on; empty if it is not."""
        if self.longest_trained is None or self.num_src_tokens <= self.longest_trained:
            return ""
        return (
            f"The text has {self.num_src_tokens:,} tokens, <eos> counted, and the longest source trained on "
            f"{self.longest_trained:,}: places beyond were never learned, and the output may break off."
        )
