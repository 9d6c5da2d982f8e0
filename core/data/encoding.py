"""Texts of both sides to ids: the two tokenizers with their two vocabularies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from core.data.token_arrays import Ids, PairArrays, source_arrays, target_arrays
from core.data.tokenizers import Tokenizer
from core.data.vocabulary import GrowingVocabulary, Vocabulary


@dataclass(frozen=True)
class Side:
    """How texts of the source or of the target become ids."""

    tokenizer: Tokenizer
    vocabulary: Vocabulary | GrowingVocabulary

    def flat(self, texts: Sequence[str]) -> tuple[Ids, list[int]]:
        """The ids of all texts in one array, and how many belong to each. No Python code runs for a token."""
        token_lists = list(map(self.tokenizer.tokenize, texts))
        ids = self.vocabulary.ids(chain.from_iterable(token_lists))
        return np.array(ids, dtype=np.int32), list(map(len, token_lists))


def encoded(sources: Sequence[str], targets: Sequence[str], src: Side, tgt: Side) -> PairArrays:
    """Texts of pairs as ids, framed by the special tokens."""
    return PairArrays(source_arrays(*src.flat(sources)), target_arrays(*tgt.flat(targets)))
