"""Scores a split twice: teacher-forced (fed the reference), and free-running (decoded)."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray

from core.config import DecodingConfig
from core.data.batch import Batch
from core.data.batching import eval_batches
from core.data.prepared_data import PreparedData
from core.decoding.decode import decode, longest_output
from core.decoding.ranks import ranks_of
from core.events import Progress, ValidatedSentence
from core.model.evaluation import evaluating
from core.model.transformer import Transformer
from core.plugin import Pair
from core.plugins_host.errors import PluginError
from core.plugins_host.host import PluginHost
from core.training.loss import target_positions
from core.training.metrics import BUILT_IN, TextScores, chunks, score_texts

# Padded target tokens in a batch: small enough that Pause waits only tens of milliseconds.
_BATCH_TOKENS = 2048


@dataclass(frozen=True, kw_only=True)
class SplitScores(TextScores):
    """The scores of a split, with the teacher-forced metrics and the plugin's own; keys have no prefix."""

    plugin_metrics: dict[str, float]
    sentences: tuple[ValidatedSentence, ...]  # those decoded freely, in the split's order
    num_sentences: int  # of the teacher-forced metrics


def score_split(
    model: Transformer,
    data: PreparedData,
    host: PluginHost | None,
    split: str,
    decoding: DecodingConfig,
    num_free_running: int | None = None,
    *,
    minimum_risk: bool = False,
) -> Generator[Progress, None, SplitScores]:
    """Score a split; yields its progress between batches.

    Only its first `num_free_running` sentences are decoded (None: all). Losses and accuracies are over all target
    tokens of the split, `<eos>` included. Draws no random number, and may be abandoned at any yield. Without a host
    there are no plugin metrics.
    """
    device = model.device
    forced, num_pairs = TeacherForcedScores(), len(data.split(split))
    num_decoded = min(num_free_running or num_pairs, num_pairs)
    for indices, batch in eval_batches(data, split, _BATCH_TOKENS):
        forced.update(model, indices, batch.to(device))
        yield Progress(stage=f"scoring {split} sentences", done=len(forced.rank), total=num_pairs)
    decoded: dict[int, list[int]] = {}
    max_length, batch_tokens = longest_output(decoding, data), _BATCH_TOKENS // decoding.beam_size
    for indices, batch in eval_batches(data, split, batch_tokens, num_free_running):
        src, src_mask = batch.src.to(device), batch.src_mask.to(device)
        outputs = decode(model, src, src_mask, decoding, max_length, minimum_risk=minimum_risk)
        decoded.update(zip(indices.tolist(), [output.tokens for output in outputs], strict=True))
        yield Progress(stage=f"decoding {split} sentences", done=len(decoded), total=num_decoded)
    return (yield from _scores(data, host, split, forced, decoded))


@dataclass
class TeacherForcedScores:
    """Sums over tokens, and each sentence's token probabilities and ranks."""

    cross_entropy: float = 0.0
    num_right: int = 0
    num_tokens: int = 0
    probability: dict[int, NDArray[np.float32]] = field(default_factory=dict)
    rank: dict[int, NDArray[np.int64]] = field(default_factory=dict)

    def update(self, model: Transformer, indices: NDArray[np.int64], batch: Batch) -> None:
        with evaluating(model):
            memory = model.encode(batch.src, batch.src_mask)
            hidden = model.decode(batch.tgt_input, memory, batch.src_mask, batch.tgt_mask)
            real = target_positions(batch)
            logits = model.project(hidden.flatten(0, 1)[real])
            log_probabilities = F.log_softmax(logits, dim=-1, dtype=torch.float32)
            chosen = log_probabilities.gather(-1, batch.tgt_output.flatten()[real, None])
            rank = ranks_of(chosen, log_probabilities).cpu().numpy()
            log_chosen = chosen[:, 0].cpu().numpy()
            lengths = batch.tgt_mask.sum(1).cpu().numpy()
        self.cross_entropy -= float(log_chosen.sum(dtype=np.float64))
        self.num_right += int((rank == 0).sum())
        self.num_tokens += len(rank)
        ends = np.cumsum(lengths)[:-1]
        probability = np.nan_to_num(np.exp(log_chosen))  # a NaN is no probability, and not valid JSON
        self.probability.update(zip(indices.tolist(), np.split(probability, ends), strict=True))
        self.rank.update(zip(indices.tolist(), np.split(rank, ends), strict=True))

    def metrics(self) -> dict[str, float]:
        loss = self.cross_entropy / self.num_tokens
        return {
            "loss": loss,
            "perplexity": math.exp(min(loss, 700.0)),
            "token_accuracy": self.num_right / self.num_tokens,
        }


def _scores(
    data: PreparedData, host: PluginHost | None, split: str, forced: TeacherForcedScores, decoded: dict[int, list[int]]
) -> Generator[Progress, None, SplitScores]:
    pairs, sentences = yield from _decoded_sentences(data, split, forced, decoded)
    hypotheses = [sentence.hypothesis for sentence in sentences]
    reference_tokens = [list(sentence.tokens[:-1]) for sentence in sentences]  # without <eos>
    scores = yield from score_texts(
        hypotheses,
        [data.tgt_tokenizer.join(tokens) for tokens in reference_tokens],
        [data.tgt_vocabulary.tokens_of(decoded[index]) for index in sorted(decoded)],
        reference_tokens,
        f"comparing {split} sentences",
    )
    return SplitScores(
        **vars(scores) | {"metrics": {**forced.metrics(), **scores.metrics}},
        plugin_metrics=plugin_metrics(data, host, pairs, hypotheses),
        sentences=tuple(sentences),
        num_sentences=len(forced.rank),
    )


def _decoded_sentences(
    data: PreparedData, split: str, forced: TeacherForcedScores, decoded: dict[int, list[int]]
) -> Generator[Progress, None, tuple[list[Pair], list[ValidatedSentence]]]:
    """The decoded pairs, and what the model made of each, in the split's order."""
    order, pairs, sentences = sorted(decoded), list[Pair](), list[ValidatedSentence]()
    for chunk in chunks(len(order)):
        for index in order[chunk]:
            pairs.append(pair := data.pair(split, index))
            sentences.append(
                ValidatedSentence(
                    source=pair.source,
                    reference=pair.target,
                    hypothesis=data.decode_target(decoded[index]),
                    tokens=(*data.tgt_tokenizer.tokenize(pair.target), "<eos>"),
                    probability=tuple(forced.probability[index].tolist()),
                    rank=tuple(forced.rank[index].tolist()),
                )
            )
        yield Progress(stage=f"collecting {split} sentences", done=len(sentences), total=len(order))
    return pairs, sentences


def plugin_metrics(
    data: PreparedData, host: PluginHost | None, pairs: list[Pair], hypotheses: list[str]
) -> dict[str, float]:
    """The plugin's own metrics; none without a host. Raises PluginError for one named as a built-in metric."""
    if host is None:
        return {}
    found = host.metrics(data.dataset.plugin, data.options, pairs, hypotheses)
    for name in found:
        if name in BUILT_IN:
            sentence = f"Plugin {data.dataset.plugin!r}: metrics() returns {name!r}, which Headlight measures itself."
            raise PluginError(sentence, remedy="Name it differently")
    return found
