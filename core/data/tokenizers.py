"""Cut texts into tokens and join them again."""

from __future__ import annotations

from typing import Protocol, get_args

from core.config import SubwordName
from core.data.subwords import SubwordTokenizer


class Tokenizer(Protocol):
    """Cuts a text into tokens; `join` makes a text of tokens."""

    def tokenize(self, text: str, /) -> list[str]:
        """The tokens of a text; none for an empty one."""

    def join(self, tokens: list[str]) -> str:
        """The text of these tokens."""


class WhitespaceTokenizer:
    """Tokens are what stands between spaces."""

    tokenize = staticmethod(str.split)  # without a call of Python's for each of millions of texts

    def join(self, tokens: list[str]) -> str:
        return " ".join(tokens)


class CharacterTokenizer:
    """Every character is a token, a space too."""

    def tokenize(self, text: str) -> list[str]:
        return list(text)

    def join(self, tokens: list[str]) -> str:
        return "".join(tokens)


def make_tokenizer(name: str, model: bytes | None = None) -> Tokenizer:
    """The tokenizer of this name; one of subwords needs a model, and raises UserError where that is none."""
    if name in get_args(SubwordName):
        return SubwordTokenizer(model or b"")
    return WhitespaceTokenizer() if name == "whitespace" else CharacterTokenizer()
