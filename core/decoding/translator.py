"""Texts in, texts out, with the weights a model has at this moment."""

from __future__ import annotations

from collections.abc import Sequence

from core.config import DecodingConfig
from core.data.prepared_data import PreparedData
from core.decoding.greedy import greedy_decode
from core.decoding.probed_sentences import SentenceToProbe, pad_ids, probe_sentences
from core.errors import UserError
from core.model.transformer import Transformer
from core.probes import ProbedSentence
from core.requests import Translation

_BATCH_SIZE = 64


def translate(
    model: Transformer,
    data: PreparedData,
    decoding: DecodingConfig,
    texts: Sequence[str],
    step: int,
    with_attention: bool = False,
) -> tuple[Translation, ...]:
    """Translate each text; `step` is where the weights come from, and only noted.

    Decodes in batches of 64 of like length, whatever the order of the texts. Draws no random number.
    Raises UserError, before anything is decoded, for a text that is empty or longer than the model's positions, and
    for a beam.
    """
    if decoding.beam_size > 1:
        raise UserError(
            f"decoding.beam_size: beam search comes with a later release, given {decoding.beam_size}.",
            "Set it to 1 for greedy decoding.",
        )
    encoded = [encode_text(model, data, text) for text in texts]
    translations: dict[int, Translation] = {}
    by_length = sorted(range(len(texts)), key=lambda index: len(encoded[index][0]))
    for start in range(0, len(texts), _BATCH_SIZE):
        chosen = by_length[start : start + _BATCH_SIZE]
        src, src_mask = pad_ids([encoded[index][0] for index in chosen], next(model.parameters()).device)
        decoded = greedy_decode(model, src, src_mask, max_length=longest_output(decoding, data))
        for index, tokens, finished in zip(chosen, decoded.tokens, decoded.finished, strict=True):
            translations[index] = Translation(
                step=step,
                source=texts[index],
                output=data.decode_target(tokens),
                unknown=tuple(encoded[index][1]),
                finished=finished,
                sentence=_sentence(model, data, decoding, texts[index]) if with_attention else None,
            )
    return tuple(translations[index] for index in range(len(texts)))


def longest_output(decoding: DecodingConfig, data: PreparedData) -> int:
    """The most tokens that decoding writes, `<eos>` counted; `auto` is the data's longest target."""
    return data.max_tgt_length if decoding.max_length == "auto" else decoding.max_length


def encode_text(model: Transformer, data: PreparedData, text: str) -> tuple[list[int], Sequence[str]]:
    """Ids with `<eos>`, and the tokens that the vocabulary does not have.

    Raises UserError for a text that is empty or longer than the model's positions.
    """
    ids, unknown = data.encode_source(text)
    if len(ids) == 1:
        raise UserError("There is nothing to translate: the text is empty.", "Write a sentence.")
    if len(ids) > model.max_positions:
        raise UserError(
            f"The text “{_shortened(text)}” has {len(ids):,} tokens, <eos> counted; "
            f"this model reads {model.max_positions:,}.",
            "Shorten it, or train with a larger dataset.max_src_length.",
        )
    return list(ids), unknown


def _sentence(model: Transformer, data: PreparedData, decoding: DecodingConfig, text: str) -> ProbedSentence:
    return probe_sentences(model, data, [SentenceToProbe(text)], longest_output(decoding, data))[0]


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:37] + "..."
