"""`evaluate`: measures the weights of one or more runs on a split, with mean and deviation of several."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any, TextIO

from core.answers.evaluation import Evaluation
from core.cli.comparability import incomparable_metrics, require_same_sentences
from core.cli.engine_client import TerminalClient
from core.cli.open_run import (
    DATASET_OPTION,
    open_run,
    open_run_request,
    parse_settings,
    require_different_runs,
    require_not_a_corpus_file,
)
from core.cli.output import print_json, print_lines, print_means, warn
from core.cli.text_files import output_file
from core.comparison.run_results import RunResults
from core.comparison.seeds import repeated_runs
from core.comparison.spread import spread
from core.corpus_files import other_side
from core.errors import UserError
from core.requests import Evaluate, OpenRun
from core.run_folder import RunFolder

_METRICS = (
    *("loss", "perplexity", "token_accuracy", "exact_match", "token_error_rate", "sequence_error_rate"),
    *("bleu", "chrf"),
)


def evaluate(arguments: Namespace) -> int:
    """Evaluate a checkpoint of each run on a split and print its metrics; for several runs, also mean and deviation."""
    if arguments.predictions is not None and len(arguments.runs) > 1:
        given = f"given {len(arguments.runs)} runs"
        raise UserError(f"--predictions {arguments.predictions}: a file holds one run's outputs, {given}.")
    requests = open_run_requests(arguments)
    require_different_runs(requests, "it would count twice in the mean")
    if arguments.predictions is not None:
        require_not_a_corpus_file(arguments.predictions, "--predictions", requests[0])
    evaluations = []
    predictions = nullcontext() if arguments.predictions is None else output_file(arguments.predictions)
    with predictions as file, TerminalClient(arguments.plugins_dir) as client:
        for request in requests:
            evaluation = evaluate_run(client, request, arguments.split, minimum_risk=arguments.minimum_risk)
            evaluations.append(evaluation)
            if file is None:
                _print_evaluation(evaluation, json=arguments.json)
            else:
                _write_predictions(file, evaluation)
    if arguments.predictions is not None:  # last, so that the file is complete even if standard output fails
        _print_evaluation(evaluations[0], json=arguments.json)
    if len(evaluations) > 1:
        require_same_sentences(evaluations, "A mean")
        distinct = _without_repeats(evaluations)
        if len(distinct) > 1:  # one has no deviation
            _print_spread(distinct, json=arguments.json)
    return 0


def open_run_requests(arguments: Namespace) -> list[OpenRun]:
    """The requests to open the runs of the command line, with the dataset options of --set."""
    changes, options = parse_settings(arguments.set, f"{DATASET_OPTION}folder=FOLDER")
    if changes:
        raise UserError(f"--set {changes[0][0]}: expected an option of the dataset, such as dataset.options.folder.")
    return [open_run_request(run, arguments, "evaluate", options) for run in arguments.runs]


def evaluate_run(client: TerminalClient, request: OpenRun, split: str, *, minimum_risk: bool) -> Evaluation:
    """Open a run and evaluate it on a split."""
    open_run(client, request)
    evaluation = client.ask(Evaluate(split=split, minimum_risk=minimum_risk))
    client.show_pending_notes()
    return evaluation


def _print_evaluation(evaluation: Evaluation, *, json: bool) -> None:
    warn_about_sentences(evaluation)
    record = _record(evaluation)
    if json:
        print_json(record)
        return
    named = [record.pop(name) for name in ("decoding", "metrics", "other_pairs")]
    for lines in (record, *named):  # one by one: a plugin's metric may have the name of another line
        print_lines(lines)


def warn_about_sentences(evaluation: Evaluation) -> None:
    """Warn if the evaluated sentences are not the run's own, not all of the split, or valid's instead of test's."""
    if options := other_pairs(evaluation):
        kept = _kept_sides(evaluation)
        with_kept = f" with its own {_as_settings(kept)}" if kept else ""
        warn(f"these are not the run's own {evaluation.split} pairs, but those of {_as_settings(options)}{with_kept}")
    elif replaced := " and ".join(evaluation.replaced_splits):
        warn(
            f"these are the run's own {evaluation.split} pairs: --set gives other {replaced} pairs, "
            f"which --split {evaluation.replaced_splits[0]} scores"
        )
    num_pairs = evaluation.sentences + evaluation.left_out + evaluation.plugin_left_out
    for num, why in (
        (evaluation.plugin_left_out, "left out by the dataset's own options"),
        (evaluation.left_out, "longer than dataset.max_src_length or dataset.max_tgt_length"),
    ):
        if num:
            are = "is" if num == 1 else "are"
            warn(f"{num:,} of {num_pairs:,} pairs of {evaluation.split} {are} {why}, and {are} not scored")
    if evaluation.is_valid_again:
        warn("the dataset has no test pairs of its own: these are valid's, which chose the best checkpoint")


def _record(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "run": str(evaluation.run),
        "split": evaluation.split,
        "checkpoint": evaluation.checkpoint,
        **({"averaged_steps": evaluation.averaged_steps} if evaluation.averaged_steps else {}),
        **({"ema_decay": evaluation.ema_decay} if evaluation.ema_decay is not None else {}),
        "sentences": evaluation.sentences,
        **{name: evaluation.metrics[name] for name in _METRICS},
        "bleu_signature": evaluation.bleu_signature,
        "chrf_signature": evaluation.chrf_signature,
        "tokenized_bleu": evaluation.tokenized_bleu,
        "tokenized_bleu_signature": evaluation.tokenized_bleu_signature,
        "decoding": {**evaluation.decoding.model_dump(), "minimum_risk": evaluation.minimum_risk},
        "metrics": evaluation.plugin_metrics,
        "seconds": evaluation.seconds,
        "left_out": evaluation.left_out,
        "plugin_left_out": evaluation.plugin_left_out,
        "is_valid_again": evaluation.is_valid_again,
        "other_pairs": other_pairs(evaluation),
    }


def other_pairs(evaluation: Evaluation) -> dict[str, object]:
    """The settings that gave other pairs than the run's own, as --set names them; empty if the pairs are its own."""
    return {f"{DATASET_OPTION}{name}": value for name, value in evaluation.other_options.items()}


def _kept_sides(evaluation: Evaluation) -> dict[str, object]:
    """The run's own file beside each that was replaced alone: whoever names new sources may forget their references."""
    own = RunFolder.open(evaluation.run).config().dataset.options
    others = {other_side(name) for name in evaluation.other_options} - evaluation.other_options.keys()
    return {f"{DATASET_OPTION}{name}": own[name] for name in sorted(others) if own.get(name)}


def _as_settings(options: Mapping[str, object]) -> str:
    return ", ".join(f"{key}={value}" for key, value in options.items())


def _without_repeats(evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """The evaluations for the mean: of runs with equal settings, data and seed only the first; warns of the others."""
    repeated = repeated_runs([RunResults.read(RunFolder.open(evaluation.run)) for evaluation in evaluations])
    names = [evaluation.run.name for evaluation in evaluations]
    for index, first in repeated.items():
        sentence = f"{names[index]} repeats {names[first]}, seed included"
        warn(f"{sentence}: it is left out of the mean, where it would count twice")
    return [evaluation for index, evaluation in enumerate(evaluations) if index not in repeated]


def _print_spread(evaluations: Sequence[Evaluation], *, json: bool) -> None:
    """Print mean and sample standard deviation of every metric that all have, on the same sentences."""
    left_out = incomparable_metrics(evaluations)
    own = spread([_own_metrics(evaluation, left_out) for evaluation in evaluations])
    of_plugin = spread([evaluation.plugin_metrics for evaluation in evaluations])
    split, sentences = evaluations[0].split, evaluations[0].sentences
    if json:
        runs = [evaluation.run for evaluation in evaluations]
        record = {"event": "evaluations_finished", "runs": runs, "split": split, "sentences": sentences}
        # A plugin's metric with the name of one of ours is only in the objects of the runs, which have `metrics`.
        mean, deviation = (ours | theirs | ours for ours, theirs in zip(own, of_plugin, strict=True))
        print_json(record | {"mean": mean, "standard_deviation": deviation})
        return
    over = f"over the same {sentences:,} {split} sentence{'s' * (sentences != 1)}"
    print(f"\nmean of {len(evaluations)} runs ± standard deviation, {over}")
    print_means(*own)
    print_means(*of_plugin)


def _own_metrics(evaluation: Evaluation, left_out: Sequence[str]) -> dict[str, float]:
    named = {name: evaluation.metrics[name] for name in _METRICS if name not in left_out}
    return named | {"tokenized_bleu": evaluation.tokenized_bleu}


def _write_predictions(file: TextIO, evaluation: Evaluation) -> None:
    for row in (("source", "reference", "hypothesis"), *evaluation.predictions):
        print("\t".join(" ".join(cell.split()) for cell in row), file=file)  # a cell must not hold a tab or line break
