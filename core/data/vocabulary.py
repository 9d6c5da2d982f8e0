"""The tokens a model knows, and their ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.data.special_tokens import SPECIAL_TOKENS, UNK_ID


class Vocabulary:
    """Tokens by id; the four special ones come first.

    A token in a text that is spelled like a special one, such as `<pad>`, is unknown and never gets the special id.
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        """`tokens` are those of the texts, without the special ones, each once."""
        self.tokens = (*SPECIAL_TOKENS, *tokens)
        self._ids = _IdsOrUnknown({token: index for index, token in enumerate(tokens, start=len(SPECIAL_TOKENS))})

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def own_tokens(self) -> list[str]:
        """The tokens without the special ones."""
        return list(self.tokens[len(SPECIAL_TOKENS) :])

    def __contains__(self, token: str) -> bool:
        return token in self._ids

    def ids(self, tokens: Iterable[str]) -> list[int]:
        """The id of each token, that of `<unk>` for unknown ones."""
        return list(self.iter_ids(tokens))

    def iter_ids(self, tokens: Iterable[str]) -> Iterator[int]:
        """The same ids one by one, so that no token need be kept."""
        return map(self._ids.__getitem__, tokens)

    def tokens_of(self, ids: Iterable[int]) -> list[str]:
        """The token of each id, the special ones as they are spelled."""
        return list(map(self.tokens.__getitem__, ids))


class _IdsOrUnknown(dict[str, int]):
    """A dict with a default, as fast as a dict: no Python code runs for a known token."""

    def __missing__(self, token: str) -> int:
        return UNK_ID


class GrowingVocabulary:
    """Gives each new token the next id, so that texts are cut only once, before it is known which tokens to keep."""

    def __init__(self) -> None:
        self._ids = _GrowingIds()

    def iter_ids(self, tokens: Iterable[str]) -> Iterator[int]:
        """The id of each token, one by one; never a special id, however the token is spelled."""
        return map(self._ids.__getitem__, tokens)

    def __len__(self) -> int:
        return len(SPECIAL_TOKENS) + len(self._ids)

    def counts_by_token(self, counts: NDArray[np.int64]) -> Counter[str]:
        """Convert `counts` by id to counts by token, without the special tokens."""
        return Counter(dict(zip(self._ids, counts[len(SPECIAL_TOKENS) :].tolist(), strict=True)))

    def ids_in(self, vocabulary: Vocabulary) -> NDArray[np.int32]:
        """The id in `vocabulary` for each of our ids."""
        return np.array([*range(len(SPECIAL_TOKENS)), *vocabulary.ids(self._ids)], dtype=np.int32)


class _GrowingIds(dict[str, int]):
    """Gives each new token the next id; Python code runs only for a token that is seen for the first time."""

    def __missing__(self, token: str) -> int:
        self[token] = number = len(SPECIAL_TOKENS) + len(self)
        return number


def most_frequent_first(counts: Mapping[str, int], min_frequency: int) -> list[str]:
    """Tokens seen at least `min_frequency` times, the most frequent first, ties by spelling.

    Sorting ties by spelling makes the ids independent of the order of the pairs.
    """
    kept = [token for token, count in counts.items() if count >= min_frequency and token not in SPECIAL_TOKENS]
    return sorted(kept, key=lambda token: (-counts[token], token))


def unique_tokens(tokens: Iterable[str]) -> list[str]:
    """Tokens in the given order, each once, without the special ones."""
    return [token for token in dict.fromkeys(tokens) if token not in SPECIAL_TOKENS]
