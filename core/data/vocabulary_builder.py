"""Chooses the tokens of the vocabularies, from the train split alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.config import TokenizerConfig
from core.data.special_tokens import SPECIAL_TOKENS
from core.data.subwords import SubwordTokenizer
from core.data.tokenizers import Tokenizer
from core.data.vocabulary import Vocabulary, most_frequent_first, unique_tokens
from core.errors import UserError

Symbols = tuple[Sequence[str], Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class VocabularyBuilder:
    """How a dataset's tokens are chosen: by its tokenizers, and the symbols that an endless plugin lists."""

    plugin: str  # its name
    config: TokenizerConfig
    src_tokenizer: Tokenizer
    tgt_tokenizer: Tokenizer
    symbols: Symbols | None  # from `order_symbols`

    def build(self, src_counts: Counter[str], tgt_counts: Counter[str]) -> tuple[Vocabulary, Vocabulary]:
        """All subwords or all listed symbols, however rare; otherwise the frequent enough tokens of the train split."""
        min_frequency = self.config.min_frequency
        if self.symbols is not None:
            src, tgt = self.symbols
        elif self.config.shared:
            src = tgt = most_frequent_first(src_counts + tgt_counts, min_frequency)
        else:
            src, tgt = most_frequent_first(src_counts, min_frequency), most_frequent_first(tgt_counts, min_frequency)
        src, tgt = subword_pieces(self.src_tokenizer) or src, subword_pieces(self.tgt_tokenizer) or tgt
        for side, tokens, counts in (("source", src, src_counts), ("target", tgt, tgt_counts)):
            if not tokens:
                raise self._no_tokens(side, counts)
        return Vocabulary(src), Vocabulary(tgt)

    def _no_tokens(self, side: str, counts: Counter[str]) -> UserError:
        if self.symbols is not None:
            what = f"lists no {side} tokens"
        elif not counts.total():
            what = f"gives only empty {side} texts for its train split"
        elif not unique_tokens(+counts):  # without those of the held-out splits, which are counted 0 times
            special = ", ".join(SPECIAL_TOKENS)
            what = f"spells all {side} tokens of its train split like special ones ({special}), which count as unknown"
        else:
            return UserError(
                f"dataset.tokenizer.min_frequency = {self.config.min_frequency:,}: no {side} token of the train split "
                "is seen so often, and nothing could be learned.",
                "Lower it, or fix the dataset.",
            )
        sentence = f"Plugin {self.plugin!r} {what}: nothing could be learned."
        return UserError(sentence, "Fix it, or choose another dataset.")


def order_symbols(symbols: Symbols, *, shared: bool) -> tuple[list[str], list[str]]:
    """The source and the target tokens in the given order, each once; the same tokens for both if `shared`."""
    src, tgt = symbols
    return (unique_tokens([*src, *tgt]),) * 2 if shared else (unique_tokens(src), unique_tokens(tgt))


def subword_pieces(tokenizer: Tokenizer) -> list[str]:
    """All pieces of a subword tokenizer; an empty list for other tokenizers."""
    return tokenizer.pieces if isinstance(tokenizer, SubwordTokenizer) else []
