"""Cuts texts into subwords, by a model that sentencepiece has learned from the train split, and joins them again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sentencepiece import SentencePieceProcessor

from core.data.special_tokens import SPECIAL_TOKENS
from core.errors import UserError

WORD_BEGINS = "▁"
"""U+2581 stands for a space at the beginning of a piece, also before the first word of a text."""
MAX_MODEL_BYTES = 32 * 2**20
"""In bytes; 200,000 subwords take about 4 MB."""

SubwordModels = Mapping[str, bytes]
"""The model learned for "src", "tgt" or both, as the bytes of sentencepiece's .model file."""


class SubwordTokenizer:
    """Cuts texts into pieces of words: no text has unknown tokens if all its characters were seen."""

    def __init__(self, model: bytes) -> None:
        """Raises UserError if `model` is not one that `core.data.learning_subwords` has made."""
        if len(model) > MAX_MODEL_BYTES:
            raise _model_error(f"it has {len(model):,} bytes, expected at most {MAX_MODEL_BYTES:,}")
        self._processor = SentencePieceProcessor()
        try:
            self._processor.load_from_serialized_proto(model)
            pieces = [self._processor.id_to_piece(number) for number in range(self._processor.get_piece_size())]
        except (RuntimeError, UnicodeDecodeError):
            raise _model_error("sentencepiece cannot read it") from None
        if tuple(pieces[: len(SPECIAL_TOKENS)]) != SPECIAL_TOKENS:
            raise _model_error(f"it does not begin with {', '.join(SPECIAL_TOKENS)}")
        self.pieces = pieces[len(SPECIAL_TOKENS) :]

    def tokenize(self, text: str) -> list[str]:
        """The pieces of a text; consecutive unseen characters form one token that no vocabulary has."""
        pieces: list[str] = self._processor.encode(text, out_type=str)
        return pieces

    def join(self, tokens: list[str]) -> str:
        return "".join(tokens).replace(WORD_BEGINS, " ").removeprefix(" ")


def write_models(folder: Path, models: SubwordModels) -> None:
    """Write src.model and tgt.model, whichever there are."""
    for side, model in models.items():
        (folder / f"{side}.model").write_bytes(model)


def read_models(folder: Path) -> SubwordModels:
    """Read what `write_models` wrote."""
    return {path.stem: path.read_bytes() for path in sorted(folder.glob("*.model"))}


def _model_error(why: str) -> UserError:
    return UserError(
        f"The subwords of this run cannot be read: {why}.", "Restore src.model and tgt.model from a copy of the run."
    )
