"""`evaluate`: a run's weights measured on a split."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from core.cli.conversation import on_the_terminal
from core.cli.files import output_file
from core.cli.opening import decoding_changes, opening_of, read_settings
from core.cli.output import print_json
from core.errors import UserError
from core.requests import Evaluate, Evaluation

_METRICS = (
    *("loss", "perplexity", "token_accuracy", "exact_match", "token_error_rate", "sequence_error_rate"),
    *("bleu", "chrf"),
)


def evaluate(arguments: Namespace) -> int:
    """Measure a checkpoint on a split and print the figures."""
    changes, options = read_settings(arguments.set)
    if changes:
        raise UserError(f"--set {changes[0][0]}: expected an option of the dataset, such as dataset.options.folder.")
    opening = opening_of(arguments.run, arguments.runs_dir, arguments.checkpoint, decoding_changes(arguments), options)
    with on_the_terminal(arguments.plugins_dir) as engine:
        engine.ask(opening)
        evaluation = engine.ask(Evaluate(split=arguments.split))
    warn(evaluation)
    if arguments.predictions is not None:
        _write_predictions(arguments.predictions, evaluation)
    record = _record(evaluation)
    if arguments.json:
        print_json(record)
        return 0
    for name, value in (record | record.pop("metrics")).items():
        print(f"{name} {value:.6g}" if isinstance(value, float) else f"{name} {value}")
    return 0


def warn(evaluation: Evaluation) -> None:
    """Say on standard error what a reader of the figures should know of the sentences they are of."""
    if evaluation.left_out:
        num_pairs = evaluation.sentences + evaluation.left_out
        print(
            f"warning: {evaluation.left_out:,} of {num_pairs:,} pairs of {evaluation.split} are longer than "
            "dataset.max_src_length or dataset.max_tgt_length, and are not scored",
            file=sys.stderr,
        )
    if evaluation.is_valid_again:
        print(
            "warning: the dataset has no test pairs of its own: these are valid's, which chose the best checkpoint",
            file=sys.stderr,
        )


def _record(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "run": str(evaluation.run),
        "split": evaluation.split,
        "checkpoint": evaluation.checkpoint,
        "sentences": evaluation.sentences,
        **{name: evaluation.metrics[name] for name in _METRICS},
        "bleu_signature": evaluation.bleu_signature,
        "chrf_signature": evaluation.chrf_signature,
        "tokenized_bleu": evaluation.tokenized_bleu,
        "tokenized_bleu_signature": evaluation.tokenized_bleu_signature,
        "metrics": evaluation.plugin_metrics,
        "seconds": evaluation.seconds,
        "left_out": evaluation.left_out,
        "is_valid_again": evaluation.is_valid_again,
    }


def _write_predictions(path: Path, evaluation: Evaluation) -> None:
    with output_file(path) as file:
        for row in (("source", "reference", "hypothesis"), *evaluation.predictions):
            print("\t".join(" ".join(cell.split()) for cell in row), file=file)  # no cell may hold a tab or line break
