"""Reads the pairs of a prepared dataset as tokens, a page at a time, and finds those that contain a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from core.data.pair_texts import read_pairs
from core.data.prepared_data import PreparedData
from core.data.tokenizers import Tokenizer
from core.data.vocabulary import Vocabulary
from core.overview.records import Limits

CHUNK = 10_000
"""How many pairs are searched in one piece."""
MAX_FOUND = 1_000

Token = tuple[str, bool]  # the token, and whether the vocabulary has it


@dataclass(frozen=True, kw_only=True)
class PairRow:
    """One pair, tokenised as the model reads it."""

    index: int  # in its split, from 0
    src: tuple[Token, ...]
    tgt: tuple[Token, ...]
    is_left_out: bool  # too long


@dataclass(frozen=True, kw_only=True)
class Found:
    """The pairs found so far among the first `num_searched`."""

    indices: tuple[int, ...]
    num_searched: int
    is_done: bool  # all were searched, or MAX_FOUND were found


def read_rows(data: PreparedData, split: str, indices: Sequence[int], limits: Limits) -> list[PairRow]:
    """Read these pairs from disk and tokenise them."""
    pairs = data.split(split)
    return [
        PairRow(
            index=index,
            src=_tokens(data.src_tokenizer, data.src_vocabulary, text.source),
            tgt=_tokens(data.tgt_tokenizer, data.tgt_vocabulary, text.target),
            is_left_out=bool(pairs.src.lengths[index] > limits[0] or pairs.tgt_lengths[index] > limits[1]),
        )
        for index, text in ((index, data.pair(split, index)) for index in indices)
    ]


def find_pairs(data: PreparedData, split: str, text: str) -> Iterator[Found]:
    """The pairs whose source or target contains this text, ignoring case; at most MAX_FOUND."""
    assert data.folder is not None
    searched_text, found, done = text.casefold(), list[int](), 0
    pairs = read_pairs(data.folder / split)
    while chunk := list(islice(pairs, CHUNK)):
        found += [
            index
            for index, pair in enumerate(chunk, done)
            if searched_text in pair.source.casefold() or searched_text in pair.target.casefold()
        ]
        done += len(chunk)
        if len(found) >= MAX_FOUND:
            break
        yield Found(indices=tuple(found), num_searched=done, is_done=False)
    yield Found(indices=tuple(found[:MAX_FOUND]), num_searched=done, is_done=True)


def _tokens(tokenizer: Tokenizer, vocabulary: Vocabulary, text: str) -> tuple[Token, ...]:
    return tuple((token, token in vocabulary) for token in tokenizer.tokenize(text))
