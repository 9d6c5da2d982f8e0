"""`runs compare A B --paired-bootstrap`: tests whether one run's outputs are better, or only by chance."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from core.answers.evaluation import Evaluation
from core.cli.comparability import incomparable_metrics, require_same_sentences
from core.cli.engine_client import TerminalClient
from core.cli.evaluate import evaluate_run, open_run_requests, warn_about_sentences
from core.cli.open_run import require_different_runs, weights_description
from core.cli.output import print_records, warn
from core.comparison.paired_bootstrap import MIN_SENTENCES, NUM_SAMPLES, MetricComparison, Outputs, paired_bootstrap
from core.errors import UserError
from core.training.metrics import higher_is_better


def compare_paired(arguments: Namespace) -> int:
    """Evaluate both runs as `evaluate` does, and print the p-value of each difference."""
    if len(arguments.runs) != 2:
        raise UserError(f"--paired-bootstrap compares two runs, given {len(arguments.runs)}.")
    requests = open_run_requests(arguments)
    require_different_runs(requests, "a paired test is of two")
    with TerminalClient(arguments.plugins_dir) as client:
        split, minimum_risk = arguments.split or "valid", arguments.minimum_risk
        first, second = (evaluate_run(client, request, split, minimum_risk=minimum_risk) for request in requests)
    require_same_sentences((first, second), "A paired test")
    warn_about_sentences(first)
    if first.sentences < MIN_SENTENCES:
        warn(
            f"{_sentence_count(first)} {'is' if first.sentences == 1 else 'are'} too few to tell the runs apart: "
            "where one is better in each, chance alone does that in more than 5 % of cases; "
            f"expected at least {MIN_SENTENCES}"
        )
    references = [reference for _, reference, _ in first.predictions]
    left_out = incomparable_metrics((first, second))
    compared = paired_bootstrap(references, _outputs(first), _outputs(second))
    compared = [one for one in compared if one.metric not in left_out]
    records = [_record(one, first, second) for one in compared]
    if arguments.json or arguments.csv:
        print_records(records, as_csv=arguments.csv)
    else:
        _print_text(compared, first, second)
    return 0


def _outputs(evaluation: Evaluation) -> Outputs:
    texts = [hypothesis for _, _, hypothesis in evaluation.predictions]
    return Outputs(texts, evaluation.matches, evaluation.token_edits)


def _record(compared: MetricComparison, first: Evaluation, second: Evaluation) -> dict[str, Any]:
    named = {
        f"{name}_{what}": getattr(compared, f"{what}s")[index]
        for index, name in enumerate(("first", "second"))
        for what in ("score", "mean", "half_width")
    }
    return {
        "metric": compared.metric,
        "first": first.run.name,
        "second": second.run.name,
        "split": first.split,
        "sentences": first.sentences,
        **named,
        "p": compared.p,
        "signature": compared.signature,
    }


def _print_text(compared: list[MetricComparison], first: Evaluation, second: Evaluation) -> None:
    print(f"{_sentence_count(first)} of the {first.split} split, drawn {NUM_SAMPLES:,} times with replacement")
    for index, run in enumerate((first, second)):
        scores = ", ".join(f"{one.metric} {one.scores[index]:.4g} ± {one.half_widths[index]:.2g}" for one in compared)
        print(
            f"{run.run.name} at {weights_description(run.checkpoint, run.averaged_steps)}: {scores} (95 % of the draws)"
        )
    for one in compared:
        direction = "" if higher_is_better(one.metric) else ", lower is better"
        print(f"{one.metric}{direction}: p = {one.p:.4f} ({one.signature})")


def _sentence_count(evaluation: Evaluation) -> str:
    return "1 sentence" if evaluation.sentences == 1 else f"{evaluation.sentences:,} sentences"
