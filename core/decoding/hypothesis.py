"""The result of decoding one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.data.special_tokens import EOS_ID


@dataclass(frozen=True)
class Hypothesis:
    """An output: ids without `<bos>` and `<eos>`. `finished` is False if max_length came before `<eos>`."""

    tokens: list[int]
    finished: bool

    @property
    def produced(self) -> list[int]:
        """Every id that was chosen, `<eos>` included if it was."""
        return [*self.tokens, EOS_ID] if self.finished else self.tokens


@dataclass(frozen=True)
class ScoredHypothesis(Hypothesis):
    """A hypothesis with its score: the sum of its log-probabilities, `<eos>` included, over the length penalty."""

    score: float


def penalty(length: int, exponent: float) -> float:
    """The length penalty of so many tokens, `<eos>` included (Wu et al. 2016, equation 14)."""
    return float(((5 + length) / 6) ** exponent)


def until_eos(ids: Sequence[int]) -> Hypothesis:
    """The hypothesis in a row of chosen ids, which ends at the first `<eos>`."""
    finished = EOS_ID in ids
    return Hypothesis(list(ids[: ids.index(EOS_ID)] if finished else ids), finished)
