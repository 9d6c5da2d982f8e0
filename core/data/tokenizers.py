"""Cut texts into tokens and join them again."""

from __future__ import annotations

from typing import Protocol

from core.errors import UserError


class Tokenizer(Protocol):
    """Cuts a text into tokens; `join` makes a text of tokens."""

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text; none for an empty one."""

    def join(self, tokens: list[str]) -> str:
        """The text of these tokens."""


class WhitespaceTokenizer:
    """Tokens are what stands between spaces."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()

    def join(self, tokens: list[str]) -> str:
        return " ".join(tokens)


class CharacterTokenizer:
    """Every character is a token, a space too."""

    def tokenize(self, text: str) -> list[str]:
        return list(text)

    def join(self, tokens: list[str]) -> str:
        return "".join(tokens)


def make_tokenizer(name: str) -> Tokenizer:
    """The tokenizer of this name. Raises UserError for "subword", which this version does not have yet."""
    if name == "subword":
        raise UserError(
            "dataset.tokenizer: subword comes with a later release, together with parallel texts.",
            "Choose whitespace or characters for both sides: "
            "--set dataset.tokenizer.src=characters --set dataset.tokenizer.tgt=characters.",
        )
    return WhitespaceTokenizer() if name == "whitespace" else CharacterTokenizer()
