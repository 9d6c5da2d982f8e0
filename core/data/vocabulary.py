"""The tokens a model knows, and their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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


def most_frequent_first(counts: Mapping[str, int], min_frequency: int) -> list[str]:
    """Tokens seen at least so often, the frequent ones first, equal ones by spelling.

    By spelling and not by first sight: the ids are the same when the same pairs come in another order.
    """
    kept = [token for token, count in counts.items() if count >= min_frequency and token not in SPECIAL_TOKENS]
    return sorted(kept, key=lambda token: (-counts[token], token))


def as_listed(tokens: Iterable[str]) -> list[str]:
    """Tokens in the order in which somebody listed them, each once."""
    return [token for token in dict.fromkeys(tokens) if token not in SPECIAL_TOKENS]
