"""Everything the window draws of a sentence: the model's output, both ways to feed the decoder, and all attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.data.prepared_data import PreparedData
from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID
from core.decoding.greedy import greedy_decode
from core.decoding.hypothesis import Hypothesis
from core.decoding.ranks import ranks_of
from core.model.evaluation import evaluating
from core.model.recording import record_attention
from core.model.transformer import Transformer
from core.probes import Feed, Links, ProbedSentence, links_within

NUM_ALTERNATIVES = 5


class SentenceToProbe(NamedTuple):
    """A source text, and what is known about its translation."""

    source: str
    reference: str | None = None
    alignment: Links = ()


def probe_sentences(
    model: Transformer, data: PreparedData, sentences: Sequence[SentenceToProbe], max_length: int
) -> tuple[ProbedSentence, ...]:
    """Decode all sentences greedily in one batch, whatever beam the settings have, and read them.

    Draws no random number.
    """
    src, src_mask = pad_ids(_source_ids(data, sentences), model.device)
    return read_sentences(model, data, sentences, greedy_decode(model, src, src_mask, max_length=max_length))


def read_sentences(
    model: Transformer, data: PreparedData, sentences: Sequence[SentenceToProbe], outputs: Sequence[Hypothesis]
) -> tuple[ProbedSentence, ...]:
    """Feed the decoder each sentence's reference and its free-running output, in one pass that records attention.

    Probabilities and ranks are over what can be produced: all tokens but `<pad>` and `<bos>`. Raises UserError for a
    sentence longer than the model's positions.
    """
    sources = _source_ids(data, sentences)
    src, src_mask = pad_ids(sources, model.device)
    free = [output.produced for output in outputs]
    references = {i: target_ids(data, s.reference) for i, s in enumerate(sentences) if s.reference is not None}
    recorded = _run_model(model, src, src_mask, [*range(len(sentences)), *references], [*free, *references.values()])
    rows_of_references = {sentence: len(sentences) + row for row, sentence in enumerate(references)}
    return tuple(
        ProbedSentence(
            source=sentence.source,
            src_tokens=tuple(data.src_vocabulary.tokens_of(sources[i])),
            reference=sentence.reference,
            output=data.decode_target(outputs[i].tokens),
            alignment=links_within(sentence.alignment, sources[i], references.get(i, ())),
            encoder_self=_without_padding(recorded.encoder_self[i], len(sources[i]), len(sources[i])),
            by_reference=(
                _feed(recorded, rows_of_references[i], references[i], len(sources[i]), data)
                if i in references
                else None
            ),
            free_running=_feed(recorded, i, free[i], len(sources[i]), data),
        )
        for i, sentence in enumerate(sentences)
    )


def pad_ids(sequences: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor]:
    """Ids padded to the longest, and their mask, each [B, longest]."""
    ids = np.full((len(sequences), max(map(len, sequences))), PAD_ID, dtype=np.int64)
    mask = np.zeros(ids.shape, dtype=np.bool_)
    for row, allowed, sequence in zip(ids, mask, sequences, strict=True):
        row[: len(sequence)] = sequence
        allowed[: len(sequence)] = True
    return torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device)


def target_ids(data: PreparedData, text: str) -> list[int]:
    """Ids of a target text, with `<eos>` at the end."""
    return [*data.tgt_vocabulary.ids(data.tgt_tokenizer.tokenize(text)), EOS_ID]


@dataclass(frozen=True)
class _Recorded:
    """For R decoder rows, figures [R, T] and [R, T, K] and attention; for B sources, the encoder's attention."""

    encoder_self: NDArray[np.float16]  # [B, L, H, S, S]
    decoder_self: NDArray[np.float16]  # [R, L, H, T, T]
    cross: NDArray[np.float16]  # [R, L, H, T, S]
    probability: NDArray[np.float32]
    rank: NDArray[np.int32]
    top_ids: NDArray[np.int64]
    top_probability: NDArray[np.float32]


def _run_model(
    model: Transformer, src: Tensor, src_mask: Tensor, sentence_of_row: list[int], outputs: list[list[int]]
) -> _Recorded:
    """Feed each output, row by row, to the decoder; row r reads the memory of sentence `sentence_of_row[r]`."""
    targets, mask = pad_ids(outputs, src.device)
    tgt_input = targets.roll(1, dims=1)
    tgt_input[:, 0] = BOS_ID
    with evaluating(model), record_attention(model) as record:
        rows = torch.tensor(sentence_of_row, device=src.device)
        memory = model.encode(src, src_mask)[rows]
        logits = model.project(model.decode(tgt_input, memory, src_mask[rows], mask)).float()
        logits[:, :, [PAD_ID, BOS_ID]] = -torch.inf
        probabilities = logits.softmax(-1)
        chosen = probabilities.gather(-1, targets[:, :, None])
        best = probabilities.topk(min(NUM_ALTERNATIVES, probabilities.shape[-1] - 2))
        return _Recorded(
            encoder_self=_by_sentence(record.encoder_self),
            decoder_self=_by_sentence(record.decoder_self),
            cross=_by_sentence(record.cross),
            probability=chosen[:, :, 0].cpu().numpy(),
            rank=ranks_of(chosen, probabilities).int().cpu().numpy(),
            top_ids=best.indices.cpu().numpy(),
            top_probability=best.values.cpu().numpy(),
        )


def _by_sentence(attention: Tensor) -> NDArray[np.float16]:
    """[layers, B, H, T, S] -> [B, layers, H, T, S]."""
    halved: NDArray[np.float16] = attention.transpose(0, 1).half().cpu().numpy()
    return halved


def _feed(recorded: _Recorded, row: int, output: list[int], src_length: int, data: PreparedData) -> Feed:
    """One row without its padding."""
    tokens_of, length = data.tgt_vocabulary.tokens_of, len(output)
    return Feed(
        tgt_input=tuple(tokens_of([BOS_ID, *output[:-1]])),
        tgt_output=tuple(tokens_of(output)),
        output_probability=recorded.probability[row, :length],
        output_rank=recorded.rank[row, :length],
        top_tokens=tuple(tuple(tokens_of(ids)) for ids in recorded.top_ids[row, :length].tolist()),
        top_probability=recorded.top_probability[row, :length],
        decoder_self=_without_padding(recorded.decoder_self[row], length, length),
        cross=_without_padding(recorded.cross[row], length, src_length),
    )


def _without_padding(attention: NDArray[Any], rows: int, columns: int) -> NDArray[np.float16]:
    return attention[:, :, :rows, :columns]


def _source_ids(data: PreparedData, sentences: Sequence[SentenceToProbe]) -> list[Sequence[int]]:
    return [data.encode_source(sentence.source)[0] for sentence in sentences]
