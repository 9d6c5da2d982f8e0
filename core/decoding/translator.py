"""Texts in, texts out, with the weights a model has at this moment."""

from __future__ import annotations

from collections.abc import Sequence

from core.config import DecodingConfig
from core.data.prepared_data import PreparedData
from core.decoding.decode import decode, decode_n_best, longest_output
from core.decoding.hypothesis import Hypothesis, ScoredHypothesis
from core.decoding.least_risk import least_risk
from core.decoding.probed_sentences import SentenceToProbe, pad_ids, read_sentences
from core.errors import UserError
from core.model.transformer import Transformer
from core.probes import ProbedSentence
from core.requests import ScoredOutput, Translation

_BATCH_SIZE = 64


def translate(
    model: Transformer,
    data: PreparedData,
    decoding: DecodingConfig,
    texts: Sequence[str],
    step: int,
    *,
    with_attention: bool = False,
    with_n_best: bool = False,
    prefix: Sequence[str] = (),
    references: Sequence[str | None] = (),
    minimum_risk: bool = False,
) -> tuple[Translation, ...]:
    """Translate each text; `step` is where the weights come from, and only noted.

    Every output begins with the tokens of `prefix`. With attention, the decoder is fed each text's reference as well.
    Decodes in batches of 64 of like length, whatever the order of the texts. Draws no random number.
    Raises UserError, before anything is decoded, for a text that `encode_text` refuses, and for a prefix that has
    tokens of another vocabulary.
    """
    encoded = [encode_text(model, data, text) for text in texts]
    forced = prefix_ids(data, prefix)
    sentences = list(map(SentenceToProbe, texts, references or [None] * len(texts)))
    translations: dict[int, Translation] = {}
    max_length = longest_output(decoding, data)
    by_length = sorted(range(len(texts)), key=lambda index: len(encoded[index][0]))
    for start in range(0, len(texts), _BATCH_SIZE):
        chosen = by_length[start : start + _BATCH_SIZE]
        src, src_mask = pad_ids([encoded[index][0] for index in chosen], next(model.parameters()).device)
        outputs: Sequence[Hypothesis]
        n_best: Sequence[Sequence[ScoredHypothesis]]
        if with_n_best:
            n_best = decode_n_best(model, src, src_mask, decoding, max_length, forced)
            outputs = [best for best, *_ in n_best]
            if minimum_risk:
                outputs = least_risk(n_best, decoding.length_penalty)
        else:
            n_best = [()] * len(chosen)
            outputs = decode(model, src, src_mask, decoding, max_length, forced, minimum_risk=minimum_risk)
        for index, output, hypotheses in zip(chosen, outputs, n_best, strict=True):
            translations[index] = Translation(
                step=step,
                source=texts[index],
                output=data.decode_target(output.tokens),
                unknown=tuple(encoded[index][1]),
                num_src_tokens=len(encoded[index][0]),
                longest_trained=data.longest_source,
                finished=output.finished,
                n_best=tuple(_scored(hypothesis, data) for hypothesis in hypotheses),
                sentence=_read(model, data, sentences[index], output) if with_attention else None,
                prefix=tuple(prefix),
            )
    return tuple(translations[index] for index in range(len(texts)))


def encode_text(model: Transformer, data: PreparedData, text: str) -> tuple[list[int], Sequence[str]]:
    """Ids with `<eos>`, and the tokens that the vocabulary does not have.

    Raises UserError for a text that is empty, of other columns than sources or longer than the model's positions.
    """
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
    return list(ids), unknown


def _require_columns(data: PreparedData, text: str) -> None:
    if not data.text_form.takes(text):
        given, expected = text.count("\t") + 1, len(data.text_form.cuts)
        raise UserError(
            f"The text “{_shortened(text)}” has {given} columns between tabs; this run's sources have {expected}.",
            "Give the source columns alone, in the order that the run takes them.",
        )


def _scored(hypothesis: ScoredHypothesis, data: PreparedData) -> ScoredOutput:
    return ScoredOutput(
        output=data.decode_target(hypothesis.tokens), score=hypothesis.score, finished=hypothesis.finished
    )


def prefix_ids(data: PreparedData, prefix: Sequence[str]) -> tuple[int, ...]:
    """Ids of tokens as `Feed` spells them, special ones included. Raises UserError for one of another vocabulary."""
    tokens = data.tgt_vocabulary.tokens
    for token in prefix:
        if token not in tokens:
            raise UserError(f"The output cannot begin with “{token}”: the vocabulary does not have it.")
    return tuple(map(tokens.index, prefix))


def _read(model: Transformer, data: PreparedData, sentence: SentenceToProbe, output: Hypothesis) -> ProbedSentence:
    return read_sentences(model, data, [sentence], [output])[0]


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:37] + "..."
