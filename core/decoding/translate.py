"""Translates texts with a model's current weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from core.answers.translation import ScoredOutput, Translation
from core.config import DecodingConfig
from core.data.prepared_data import PreparedData
from core.decoding.decode import decode, decode_n_best, longest_output
from core.decoding.hypothesis import Hypothesis, ScoredHypothesis
from core.decoding.minimum_risk import lowest_risk
from core.decoding.probed_sentences import SentenceToProbe, pad_ids, read_sentences
from core.decoding.typed_text import encode_text, prefix_ids
from core.errors import UserError
from core.model.transformer import Transformer
from core.requests import Translate

_BATCH_SIZE = 64


class _Decoded(NamedTuple):
    output: Hypothesis
    n_best: Sequence[ScoredHypothesis] = ()  # the final beam, if asked for


def translate(
    model: Transformer, data: PreparedData, request: Translate, *, decoding: DecodingConfig, step: int
) -> tuple[Translation, ...]:
    """Translate each text of the request; `step` is that of the weights, and only recorded.

    Decodes in batches of 64 of similar length, whatever the order of the texts. Draws no random number.
    Raises UserError, before anything is decoded, for a text that `encode_text` refuses, for a prefix that has tokens
    of another vocabulary, and for references to only some of the texts.
    """
    texts, references = request.texts, request.references
    if len(references) not in (0, len(texts)):
        raise UserError(f"Translate: expected a reference for each of {len(texts):,} texts, given {len(references):,}.")
    encoded = [encode_text(model, data, text) for text in texts]
    sources, prefix = [ids for ids, _ in encoded], prefix_ids(data, request.prefix)
    longest = min(longest_output(decoding, data), model.max_positions)  # another run's model may have fewer
    found = _decode_by_length(model, sources, decoding, longest, prefix, request)
    sentences = map(SentenceToProbe, texts, references or [None] * len(texts))
    return tuple(
        Translation(
            step=step,
            source=sentence.source,
            output=data.decode_target(decoded.output.tokens),
            unknown=tuple(unknown),
            num_src_tokens=len(ids),
            longest_trained=data.longest_source,
            finished=decoded.output.finished,
            n_best=tuple(_scored_output(hypothesis, data) for hypothesis in decoded.n_best),
            sentence=read_sentences(model, data, [sentence], [decoded.output])[0] if request.with_attention else None,
            prefix=request.prefix,
        )
        for sentence, (ids, unknown), decoded in zip(sentences, encoded, found, strict=True)
    )


def _decode_by_length(
    model: Transformer,
    sources: Sequence[list[int]],
    decoding: DecodingConfig,
    max_length: int,
    prefix: tuple[int, ...],
    request: Translate,
) -> list[_Decoded]:
    """Decode sources in batches of similar length; the results are in the order of the sources."""
    device = model.device
    by_length = sorted(range(len(sources)), key=lambda index: len(sources[index]))
    found: dict[int, _Decoded] = {}
    for start in range(0, len(sources), _BATCH_SIZE):
        chosen = by_length[start : start + _BATCH_SIZE]
        src, src_mask = pad_ids([sources[index] for index in chosen], device)
        if request.with_n_best:
            beams = decode_n_best(model, src, src_mask, decoding, max_length, prefix)
            best = lowest_risk(beams, decoding.length_penalty) if request.minimum_risk else [best for best, *_ in beams]
            decoded = list(map(_Decoded, best, beams))
        else:
            outputs = decode(model, src, src_mask, decoding, max_length, prefix, minimum_risk=request.minimum_risk)
            decoded = list(map(_Decoded, outputs))
        found.update(zip(chosen, decoded, strict=True))
    return [found[index] for index in range(len(sources))]


def _scored_output(hypothesis: ScoredHypothesis, data: PreparedData) -> ScoredOutput:
    return ScoredOutput(
        output=data.decode_target(hypothesis.tokens), score=hypothesis.score, finished=hypothesis.finished
    )
