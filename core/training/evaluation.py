"""Evaluates a whole split with the weights of one step, and checks that a metric is one that it will have."""

from __future__ import annotations

import time
from collections.abc import Generator
from pathlib import Path

from core.answers.evaluation import Evaluation
from core.config import DecodingConfig
from core.data.prepared_data import PreparedData
from core.errors import UserError
from core.events import Progress
from core.model.transformer import Transformer
from core.plugins_host.errors import PluginError
from core.plugins_host.host import PluginHost
from core.training.metrics import BUILT_IN, compute_tokenized_bleu
from core.training.validation import plugin_metrics, score_split


def evaluate_split(
    model: Transformer,
    data: PreparedData,
    host: PluginHost | None,
    split: str,
    decoding: DecodingConfig,
    run: Path,
    step: int,
    *,
    minimum_risk: bool,
) -> Generator[Progress, None, Evaluation]:
    """Score a split as a validation does, but decode every sentence; yields its progress between batches."""
    started = time.perf_counter()
    scores = yield from score_split(model, data, host, split, decoding, minimum_risk=minimum_risk)
    predictions = tuple((one.source, one.reference, one.hypothesis) for one in scores.sentences)
    _, references, hypotheses = zip(*predictions, strict=True)
    tokenized_bleu, tokenized_bleu_signature = yield from compute_tokenized_bleu(
        hypotheses, references, f"comparing {split} sentences, lower-cased"
    )
    return Evaluation(
        run=run,
        split=split,
        checkpoint=step,
        sentences=scores.num_sentences,
        left_out=data.left_out[split],
        plugin_left_out=data.plugin_left_out.get(split, 0),
        is_valid_again=split == "test" and data.is_test_same_as_valid(),
        other_options=data.other_options(split),
        replaced_splits=data.replaced_splits,
        metrics={**scores.metrics, "sequence_error_rate": 1.0 - scores.metrics["exact_match"]},
        plugin_metrics=scores.plugin_metrics,
        bleu_signature=scores.bleu_signature,
        chrf_signature=scores.chrf_signature,
        tokenized_bleu=tokenized_bleu,
        tokenized_bleu_signature=tokenized_bleu_signature,
        seconds=time.perf_counter() - started,
        predictions=predictions,
        matches=scores.matches,
        token_edits=scores.token_edits,
        decoding=decoding,
        minimum_risk=minimum_risk,
    )


def require_known_metric(metric: str, data: PreparedData, host: PluginHost | None) -> None:
    """Raise UserError, naming the known metrics, for one that no validation of this data will have.

    A plugin's own metrics are known from its answer to one pair. Where pairs or plugin are missing, any metric passes.
    """
    known = {f"valid/{name}" for name in BUILT_IN}
    if metric in known or host is None or data.folder is None:
        return
    pair = data.pair("valid", 0)
    known |= {f"valid/{name}" for name in plugin_metrics(data, host, [pair], [pair.target])}
    if metric not in known:
        raise UserError(f"training.best_metric: expected one of {', '.join(sorted(known))}; given {metric!r}.")


def missing_best_metric(metric: str, plugin: str) -> PluginError:
    """The error for a validation that lacks the run's best_metric, which its plugin gave for other outputs."""
    name = metric.removeprefix("valid/")
    sentence = f"Plugin {plugin!r}: metrics() has left out {name!r}, by which training.best_metric finds the best step."
    return PluginError(sentence, remedy="Let it return every metric each time")
