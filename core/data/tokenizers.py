"""Tokenizers: they cut texts into tokens and join them again."""

from __future__ import annotations

from typing import Protocol, get_args

from core.config import SubwordName
from core.data.subwords import SubwordTokenizer


class Tokenizer(Protocol):
    """Cuts texts into tokens, and joins tokens to texts."""

    def tokenize(self, text: str, /) -> list[str]:
        """The tokens of a text; none for an empty one."""

    def join(self, tokens: list[str]) -> str:
        """The text of these tokens."""


class WhitespaceTokenizer:
    """Tokens are separated by white space, and joined by single spaces."""

    tokenize = staticmethod(str.split)  # no Python call for each of millions of texts

    def join(self, tokens: list[str]) -> str:
        return " ".join(tokens)


class CharacterTokenizer:
    """Every character is a token, spaces included."""

    def tokenize(self, text: str) -> list[str]:
        return list(text)

    def join(self, tokens: list[str]) -> str:
        return "".join(tokens)


def make_tokenizer(name: str, model: bytes | None = None) -> Tokenizer:
    """The tokenizer of this name. A subword tokenizer needs a model, and raises UserError without a valid one."""
    if name in get_args(SubwordName):
        return SubwordTokenizer(model or b"")
    return WhitespaceTokenizer() if name == "whitespace" else CharacterTokenizer()
