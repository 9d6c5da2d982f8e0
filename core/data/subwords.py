"""Subwords: texts cut by a model that sentencepiece has learned from the train split, and joined again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sentencepiece import SentencePieceProcessor

from core.data.special_tokens import SPECIAL_TOKENS
from core.errors import UserError

WORD_BEGINS = "▁"
"""U+2581 stands for a space at the beginning of a piece, and before the first word of a text too."""
LARGEST_MODEL = 32 * 2**20
"""Bytes; 200,000 subwords take about 4 MB."""

SubwordModels = Mapping[str, bytes]
"""What was learned for "src", "tgt" or both, as sentencepiece writes it to a .model file."""


class SubwordTokenizer:
    """Tokens are pieces of words: no text is unknown as long as its characters were seen."""

    def __init__(self, model: bytes) -> None:
        """Raises UserError where `model` is none that `core.data.learning_subwords` has made."""
        if len(model) > LARGEST_MODEL:
            raise _no_model(f"it has {len(model):,} bytes, expected at most {LARGEST_MODEL:,}")
        self._processor = SentencePieceProcessor()
        try:
            self._processor.load_from_serialized_proto(model)
            pieces = [self._processor.id_to_piece(number) for number in range(self._processor.get_piece_size())]
        except (RuntimeError, UnicodeDecodeError):
            raise _no_model("sentencepiece cannot read it") from None
        if tuple(pieces[: len(SPECIAL_TOKENS)]) != SPECIAL_TOKENS:
            raise _no_model(f"it does not begin with {', '.join(SPECIAL_TOKENS)}")
        self.pieces = pieces[len(SPECIAL_TOKENS) :]

    def tokenize(self, text: str) -> list[str]:
        """Pieces; characters that were never seen stay together as a token that no vocabulary has."""
        pieces: list[str] = self._processor.encode(text, out_type=str)
        return pieces

    def join(self, tokens: list[str]) -> str:
        return "".join(tokens).replace(WORD_BEGINS, " ").removeprefix(" ")


def write_models(folder: Path, models: SubwordModels) -> None:
    """Write src.model and tgt.model, as far as there are any."""
    for side, model in models.items():
        (folder / f"{side}.model").write_bytes(model)


def models_in(folder: Path) -> SubwordModels:
    """What `write_models` wrote."""
    return {path.stem: path.read_bytes() for path in sorted(folder.glob("*.model"))}


def _no_model(why: str) -> UserError:
    return UserError(
        f"The subwords of this run cannot be read: {why}.", "Restore src.model and tgt.model from a copy of the run."
    )
