"""Encodes texts as ids, each side by its tokenizer and its vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from core.data.token_arrays import Ids, PairArrays, source_arrays, target_arrays
from core.data.tokenizers import Tokenizer
from core.data.vocabulary import GrowingVocabulary, Vocabulary


@dataclass(frozen=True)
class TextEncoder:
    """How the texts of one side, source or target, become ids."""

    tokenizer: Tokenizer
    vocabulary: Vocabulary | GrowingVocabulary

    def encode(self, texts: Sequence[str]) -> tuple[Ids, list[int]]:
        """The ids of all texts in one array, and the number of each text's ids. No Python code runs for each token."""
        token_lists = list(map(self.tokenizer.tokenize, texts))
        ids = self.vocabulary.ids(chain.from_iterable(token_lists))
        return np.array(ids, dtype=np.int32), list(map(len, token_lists))


def encode_pairs(sources: Sequence[str], targets: Sequence[str], src: TextEncoder, tgt: TextEncoder) -> PairArrays:
    """The ids of these pairs' texts, with `<bos>` and `<eos>` added."""
    return PairArrays(source_arrays(*src.encode(sources)), target_arrays(*tgt.encode(targets)))
