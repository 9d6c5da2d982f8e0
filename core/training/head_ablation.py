"""How the output and the loss change without some attention heads."""

from __future__ import annotations

import numpy as np

from core.answers.head_ablation import AblationResult, HeadAblation
from core.data.batch import Batch
from core.data.batching import make_batch
from core.data.prepared_data import PreparedData
from core.decoding.probed_sentences import SentenceToProbe, probe_sentences
from core.decoding.typed_text import encode_text
from core.model.heads_off import heads_off
from core.model.transformer import Transformer
from core.requests import LeaveOutHeads
from core.training.validation import TeacherForcedScores

# Limits of this work between two steps: enough pairs for a meaningful loss, in tens of milliseconds.
_NUM_VALID = 64
_MAX_TOKENS = 1024


def leave_out_heads(
    model: Transformer, data: PreparedData, request: LeaveOutHeads, *, max_length: int, step: int
) -> HeadAblation:
    """Run the model with all heads and without some; its weights are unchanged afterwards. Draws no random number.

    `step` is that of the weights, and only recorded. Raises UserError for a head that the model lacks, for a text that
    `encode_text` refuses, and for a reference longer than the model's positions.
    """
    encode_text(model, data, request.source)  # raises for a text that cannot be read
    sentence = SentenceToProbe(request.source, request.reference)
    batch = _valid_batch(data)
    with heads_off(model, request.heads):
        without = _run_model(model, data, sentence, batch, max_length)
    return HeadAblation(
        step=step,
        heads=request.heads,
        complete=_run_model(model, data, sentence, batch, max_length),
        without=without,
        num_valid=0 if batch is None else len(batch.src),
    )


def _run_model(
    model: Transformer, data: PreparedData, sentence: SentenceToProbe, batch: Batch | None, max_length: int
) -> AblationResult:
    (probed,) = probe_sentences(model, data, [sentence], max_length)
    return AblationResult(sentence=probed, valid_loss=None if batch is None else _loss(model, batch))


def _loss(model: Transformer, batch: Batch) -> float:
    """Nats per target token, teacher-forced."""
    forced = TeacherForcedScores()
    forced.update(model, np.arange(len(batch.src)), batch.to(model.device))
    return forced.metrics()["loss"]


def _valid_batch(data: PreparedData) -> Batch | None:
    """The first pairs of the valid split, fewer if they are long; None if there are no pairs."""
    num_pairs = data.num_pairs["valid"] if data.folder is not None else 0
    if not num_pairs:
        return None
    pairs = data.split("valid")
    lengths = np.maximum(pairs.src.lengths, pairs.tgt_lengths)[:_NUM_VALID]
    fitting = np.maximum.accumulate(lengths) * np.arange(1, len(lengths) + 1) <= _MAX_TOKENS
    return make_batch(pairs, np.arange(max(1, int(fitting.sum()))))
