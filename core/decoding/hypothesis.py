"""What decoding gives for a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.data.special_tokens import EOS_ID


@dataclass(frozen=True)
class Hypothesis:
    """An output: ids without `<bos>` and `<eos>`. `finished` is False where max_length came before `<eos>`."""

    tokens: list[int]
    finished: bool

    @property
    def produced(self) -> list[int]:
        """Every id that was chosen: with `<eos>`, where it came."""
        return [*self.tokens, EOS_ID] if self.finished else self.tokens


@dataclass(frozen=True)
class ScoredHypothesis(Hypothesis):
    """With the sum of its tokens' log-probabilities, `<eos>` counted, over the length penalty."""

    score: float


def penalty(length: int, exponent: float) -> float:
    """What the log-probability of so many tokens, `<eos>` counted, is divided by (Wu et al. 2016, equation 14)."""
    return float(((5 + length) / 6) ** exponent)


def until_eos(ids: Sequence[int]) -> Hypothesis:
    """What a row of chosen ids says, whatever stands after its `<eos>`."""
    finished = EOS_ID in ids
    return Hypothesis(list(ids[: ids.index(EOS_ID)] if finished else ids), finished)
