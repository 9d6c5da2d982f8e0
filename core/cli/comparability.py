"""Checks whether runs can be compared or averaged: with the same sentences and the same target tokens."""

from __future__ import annotations

from collections.abc import Sequence

from core.answers.evaluation import Evaluation
from core.cli.output import warn
from core.comparison.target_tokens import PER_TOKEN, TargetTokens, groups_of_same_tokens, target_tokens
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
    tokens = [target_tokens(run, run.vocabulary()) for run in runs]
    return PER_TOKEN if warn_of_different_tokens(runs, tokens, "are left out") else ()


def warn_of_different_tokens(
    runs: Sequence[RunFolder], tokens: Sequence[TargetTokens | None], consequence: str
) -> bool:
    """Warn if the runs' target tokens differ, and of what that means for their metrics; return whether they differ."""
    groups = groups_of_same_tokens(tokens)
    if len(groups) < 2:
        return False
    *names, last = (_name_group([runs[index].path.name for index in group]) for group in groups)
    warn(
        f"{', '.join(names)} and {last} have different target tokens: {', '.join(PER_TOKEN)} are per token, "
        f"and {consequence}; the others are of whole texts"
    )
    return True


def _name_group(names: Sequence[str]) -> str:
    """The runs with the same tokens as one term of a list: in brackets, unless it is a single one."""
    return names[0] if len(names) == 1 else f"({', '.join(names)})"
