"""Checks whether runs can be compared or averaged: with the same sentences and the same target tokens."""

from __future__ import annotations

from collections.abc import Sequence

from core.answers.evaluation import Evaluation
from core.cli.output import warn
from core.comparison.target_tokens import PER_TOKEN, index_of_other_tokens, target_tokens
from core.errors import UserError
from core.run_folder import RunFolder


def require_same_sentences(evaluations: Sequence[Evaluation], what: str) -> None:
    """Raise UserError if the runs were not evaluated on the same sentences, as `what` ("A mean") requires."""
    first, *others = evaluations
    for other in others:
        if difference := _difference(first, other):
            raise UserError(
                f"{first.run.name} and {other.run.name} have different {first.split} splits: {difference}.",
                f"{what} needs the same sentences: the same dataset, with the same options, seed and lengths.",
            )


def _difference(first: Evaluation, other: Evaluation) -> str:
    """How the two splits differ; empty if they do not."""
    sentences = [[(source, reference) for source, reference, _ in run.predictions] for run in (first, other)]
    if sentences[0] == sentences[1]:
        return ""
    if len(sentences[0]) != len(sentences[1]):
        return f"{len(sentences[0]):,} and {len(sentences[1]):,} sentences"
    number = next(at for at, (one, two) in enumerate(zip(*sentences, strict=True), start=1) if one != two)
    return f"sentence {number:,} is not the same"


def incomparable_metrics(evaluations: Sequence[Evaluation]) -> tuple[str, ...]:
    """The metrics to leave out of a mean or comparison, as these runs' target tokens differ; warns of it."""
    runs = [RunFolder.open(evaluation.run) for evaluation in evaluations]
    index = index_of_other_tokens([target_tokens(run, run.vocabulary()) for run in runs])
    if index is None:
        return ()
    warn_of_different_tokens(runs[0], runs[index], "are left out of what is said of both")
    return PER_TOKEN


def warn_of_different_tokens(first: RunFolder, other: RunFolder, consequence: str) -> None:
    """Warn that two runs have different target tokens, and what that means for their metrics."""
    warn(
        f"{first.path.name} and {other.path.name} have different target tokens: {', '.join(PER_TOKEN)} are per token, "
        f"and {consequence}; the others are of whole texts"
    )
