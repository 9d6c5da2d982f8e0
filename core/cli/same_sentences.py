"""Whether runs were asked the same: what is compared or averaged must be of the same sentences."""

from __future__ import annotations

from collections.abc import Sequence

from core.errors import UserError
from core.requests import Evaluation


def require_same_sentences(evaluations: Sequence[Evaluation], what: str) -> None:
    """Raise UserError where the runs were not asked the same, which `what` ("A mean") needs."""
    first, *others = evaluations
    for other in others:
        if how := _difference(first, other):
            raise UserError(
                f"{first.run.name} and {other.run.name} have different {first.split} splits: {how}.",
                f"{what} needs the same sentences: the same dataset, with the same options, seed and lengths.",
            )


def _difference(first: Evaluation, other: Evaluation) -> str:
    """In what the two splits differ; empty where they do not."""
    asked = [[(source, reference) for source, reference, _ in run.predictions] for run in (first, other)]
    if asked[0] == asked[1]:
        return ""
    if len(asked[0]) != len(asked[1]):
        return f"{len(asked[0]):,} and {len(asked[1]):,} sentences"
    number = next(at for at, (one, two) in enumerate(zip(*asked, strict=True), start=1) if one != two)
    return f"sentence {number:,} is not the same"
