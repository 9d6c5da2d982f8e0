"""Encodes what a person typed: a source text, and the tokens that an output is to begin with."""

from __future__ import annotations

from collections.abc import Sequence

from core.data.prepared_data import PreparedData
from core.decoding.incremental_decoder import FIRST_OUTPUT_ID
from core.errors import UserError
from core.model.transformer import Transformer


def encode_text(model: Transformer, data: PreparedData, text: str) -> tuple[list[int], Sequence[str]]:
    """Ids with `<eos>`, and the tokens that the vocabulary does not have.

    Raises UserError for a text that is empty, is not valid Unicode, has another number of columns than the sources, or
    is longer than the model's positions.
    """
    _require_whole_characters(text)
    _require_columns(data, text)
    ids, unknown = data.encode_source(text)
    if len(ids) == 1:
        raise UserError("There is nothing to translate: the text is empty.", "Write a sentence.")
    if len(ids) > model.max_positions:
        raise UserError(
            f"The text “{_shortened(text)}” has {len(ids):,} tokens, <eos> counted; "
            f"this model reads {model.max_positions:,}.",
            "Shorten it, or train with a larger dataset.max_src_length.",
        )
    return ids, unknown


def prefix_ids(data: PreparedData, prefix: Sequence[str]) -> tuple[int, ...]:
    """Ids of tokens as `Feed` spells them. Raises UserError for one of another vocabulary, or never in an output."""
    tokens = data.tgt_vocabulary.tokens
    for token in prefix:
        if token not in tokens:
            raise UserError(f"The output cannot begin with “{token}”: the vocabulary does not have it.")
        if tokens.index(token) < FIRST_OUTPUT_ID:
            raise UserError(f"The output cannot begin with “{token}”: no output can contain it.", "Leave it out.")
    return tuple(map(tokens.index, prefix))


def _require_whole_characters(text: str) -> None:
    """Refuse lone surrogates: no file can hold them, so no run with such a text could be saved."""
    try:
        text.encode()
    except UnicodeEncodeError:
        quoted = _shortened(text).encode(errors="backslashreplace").decode()
        raise UserError(
            f"The text “{quoted}” holds half a character, or bytes that are not UTF-8.",
            "Type it again, or save it as UTF-8.",
        ) from None


def _require_columns(data: PreparedData, text: str) -> None:
    if not data.text_form.accepts(text):
        given, expected = text.count("\t") + 1, len(data.text_form.cuts)
        raise UserError(
            f"The text “{_shortened(text)}” has {given} columns between tabs; this run's sources have {expected}.",
            "Give the source columns alone, in the order that the run takes them.",
        )


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:37] + "..."
