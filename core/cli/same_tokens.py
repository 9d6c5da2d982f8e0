"""Whether runs write the same target tokens: a figure per word and one per piece of a word are of different units."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from core.requests import Evaluation
from core.run_folder import RunFolder

_PER_TOKEN = ("loss", "perplexity", "token_accuracy", "token_error_rate")


def figures_of_other_units(evaluations: Sequence[Evaluation]) -> tuple[str, ...]:
    """What neither a mean nor a comparison of these runs can have, which is told on standard error."""
    first, *others = evaluations
    other = next((one for one in others if _target_tokens(one) != _target_tokens(first)), None)
    if other is None:
        return ()
    print(
        f"warning: {first.run.name} and {other.run.name} have different target tokens: {', '.join(_PER_TOKEN)} count "
        "by the token, and are left out of what is said of both; the others are of whole texts",
        file=sys.stderr,
    )
    return _PER_TOKEN


def _target_tokens(evaluation: Evaluation) -> tuple[object, ...]:
    """How its texts are cut, by which model, and the tokens known: a plugin declares the same ones for any cut."""
    run = RunFolder.open(evaluation.run)
    known = run.vocabulary()
    return known["dataset"]["tokenizer"]["tgt"], run.subword_models().get("tgt"), known["tgt_tokens"]
