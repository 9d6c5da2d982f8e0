"""What is said of runs whose target tokens are not the same, and left out of means and tests."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from core.comparison.target_tokens import PER_TOKEN, place_of_others, target_tokens
from core.requests import Evaluation
from core.run_folder import RunFolder


def figures_of_other_units(evaluations: Sequence[Evaluation]) -> tuple[str, ...]:
    """What neither a mean nor a comparison of these runs can have, which is told on standard error."""
    runs = [RunFolder.open(evaluation.run) for evaluation in evaluations]
    place = place_of_others([target_tokens(run, run.vocabulary()) for run in runs])
    if place is None:
        return ()
    warn_of_other_tokens(runs[0], runs[place], "are left out of what is said of both")
    return PER_TOKEN


def warn_of_other_tokens(first: RunFolder, other: RunFolder, what_then: str) -> None:
    """Say on standard error that these two have different target tokens, and what that means for the figures."""
    print(
        f"warning: {first.path.name} and {other.path.name} have different target tokens: {', '.join(PER_TOKEN)} count "
        f"by the token, and {what_then}; the others are of whole texts",
        file=sys.stderr,
    )
