"""Cuts a validation's texts into symbols, and aligns each hypothesis with its reference by the fewest edits."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.data.special_tokens import SPECIAL_TOKENS, UNK_ID
from core.data.subwords import WORD_BEGINS
from core.edit_distance import edit_table
from core.events import ValidatedSentence

SymbolPair = tuple[str | None, str | None]  # a reference symbol and what was written for it; None: no such symbol

_WORD = re.compile(r"\s*\S+")  # with the space before it, which may be a token of its own
_UNKNOWN = SPECIAL_TOKENS[UNK_ID]
_WRITTEN_CHARACTER = re.compile(f"{_UNKNOWN}|.", re.DOTALL)

Cut = Callable[[str], list[str]]


@dataclass(frozen=True)
class Symbols:
    """How one validation's texts are cut: into the run's tokens, or into words if those are pieces of words."""

    cut: Cut
    cut_written: Cut  # for hypotheses, in which <unk> is one token
    are_tokens: bool

    @classmethod
    def of(cls, sentences: Sequence[ValidatedSentence]) -> Symbols:
        """Judged by all sentences together: one of a single letter looks the same in characters and in words."""
        cuts: tuple[tuple[Cut, Cut], ...] = ((list, _WRITTEN_CHARACTER.findall), (str.split, str.split))
        for cut, cut_written in cuts:
            if all(_match(one.tokens[:-1], cut(one.reference)) for one in sentences):
                return cls(cut, cut_written, are_tokens=True)
        return cls(str.split, str.split, are_tokens=False)

    def aligned(self, sentence: ValidatedSentence) -> list[SymbolPair]:
        """Reference and free-running hypothesis, aligned symbol by symbol."""
        return align_symbols(self.cut(sentence.reference), self.cut_written(sentence.hypothesis))

    def right_teacher_forced(self, sentence: ValidatedSentence) -> list[bool]:
        """Whether all tokens of each symbol of the reference are right, teacher-forced."""
        right = [rank == 0 for rank in sentence.rank[:-1]]
        if self.are_tokens:
            return right
        text = "".join(sentence.tokens[:-1]).replace(WORD_BEGINS, " ")
        characters = [is_right for token, is_right in zip(sentence.tokens, right, strict=False) for _ in token]
        return [all(characters[slice(*word.span())]) for word in _WORD.finditer(text)]


def _match(tokens: Sequence[str], symbols: Sequence[str]) -> bool:
    """Whether these are the same, except for tokens that the vocabulary lacks."""
    return len(tokens) == len(symbols) and all(
        token in (symbol, _UNKNOWN) for token, symbol in zip(tokens, symbols, strict=True)
    )


def align_symbols(reference: Sequence[str], hypothesis: Sequence[str]) -> list[SymbolPair]:
    """Align two sequences with the fewest substitutions, deletions and insertions (Levenshtein 1966)."""
    if reference == hypothesis:
        return [(symbol, symbol) for symbol in reference]
    costs = edit_table(hypothesis, reference)
    row, column = len(reference), len(hypothesis)
    pairs: list[SymbolPair] = []
    while row or column:
        cost = costs[row][column]
        is_substitution = row and column and reference[row - 1] != hypothesis[column - 1]
        if row and column and cost == costs[row - 1][column - 1] + is_substitution:
            row, column = row - 1, column - 1
            pairs.append((reference[row], hypothesis[column]))
        elif row and cost == costs[row - 1][column] + 1:
            row -= 1
            pairs.append((reference[row], None))
        else:
            column -= 1
            pairs.append((None, hypothesis[column]))
    return pairs[::-1]
