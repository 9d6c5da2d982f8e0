"""The tokens a model knows, and their ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.data.special_tokens import SPECIAL_TOKENS, UNK_ID


class Vocabulary:
    """Tokens by id; the four special ones come first.

    A token of a text that is spelled like a special one, `<pad>` say, is an unknown token and never that id.
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
        """The id of each token, `<unk>`'s for those it does not have."""
        return list(map(self._ids.__getitem__, tokens))

    def texts(self, ids: Iterable[int]) -> list[str]:
        """The token of each id, the special ones as they are spelled."""
        return list(map(self.tokens.__getitem__, ids))


class _IdsOrUnknown(dict[str, int]):
    """Looked up at the speed of a dict: no Python code runs for a token it has."""

    def __missing__(self, token: str) -> int:
        return UNK_ID


class GrowingVocabulary:
    """Gives each new token the next id, so that texts are cut only once: which tokens to keep is known afterwards."""

    def __init__(self) -> None:
        self._ids = _IdsAsTheyCome()

    def ids(self, tokens: Iterable[str]) -> list[int]:
        """The id of each token; no special one, however it is spelled."""
        return list(map(self._ids.__getitem__, tokens))

    def __len__(self) -> int:
        return len(SPECIAL_TOKENS) + len(self._ids)

    def by_token(self, counts: NDArray[np.int64]) -> Counter[str]:
        """How often each token is there, of `counts` by id; special ids are left out."""
        return Counter(dict(zip(self._ids, counts[len(SPECIAL_TOKENS) :].tolist(), strict=True)))

    def ids_in(self, vocabulary: Vocabulary) -> NDArray[np.int32]:
        """What each of our ids is in `vocabulary`."""
        return np.array([*range(len(SPECIAL_TOKENS)), *vocabulary.ids(self._ids)], dtype=np.int32)


class _IdsAsTheyCome(dict[str, int]):
    """Python code runs only for a token that is seen for the first time."""

    def __missing__(self, token: str) -> int:
        self[token] = number = len(SPECIAL_TOKENS) + len(self)
        return number


def most_frequent_first(counts: Mapping[str, int], min_frequency: int) -> list[str]:
    """Tokens seen at least so often, the frequent ones first, equal ones by spelling.

    By spelling and not by first sight: the ids are the same when the same pairs come in another order.
    """
    kept = [token for token, count in counts.items() if count >= min_frequency and token not in SPECIAL_TOKENS]
    return sorted(kept, key=lambda token: (-counts[token], token))


def as_listed(tokens: Iterable[str]) -> list[str]:
    """Tokens in the order in which somebody listed them, each once."""
    return [token for token in dict.fromkeys(tokens) if token not in SPECIAL_TOKENS]
