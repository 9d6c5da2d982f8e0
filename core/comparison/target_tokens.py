"""Whether runs write the same target tokens: a figure per word and one per subword are in different units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.run_folder import RunFolder

PER_TOKEN = ("loss", "perplexity", "token_accuracy", "token_error_rate")
"""The metrics that count by the target token; all others are of whole texts."""

TargetTokens = tuple[object, ...]


def target_tokens(run: RunFolder, vocabulary: Mapping[str, Any]) -> TargetTokens:
    """How a run's target texts are cut, by which model, and the tokens known: a plugin declares the same ones for any
    cut.

    `vocabulary` is the run's. Raises UserError if its subwords are damaged.
    """
    return vocabulary["dataset"]["tokenizer"]["tgt"], run.subword_models().get("tgt"), vocabulary["tgt_tokens"]


def index_of_other_tokens(runs: Sequence[TargetTokens | None]) -> int | None:
    """The index of the first run whose target tokens are known to differ from the first's; None if there is none."""
    first = runs[0]
    return next((index for index, one in enumerate(runs) if None not in (one, first) and one != first), None)
