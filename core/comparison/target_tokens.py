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


def groups_of_same_tokens(runs: Sequence[TargetTokens | None]) -> tuple[tuple[int, ...], ...]:
    """The indices of runs with the same target tokens, each group in order; a run whose tokens are unknown is in none.

    More than one group means that some losses cannot be compared.
    """
    groups: list[list[int]] = []
    for index, tokens in enumerate(runs):
        if tokens is None:
            continue
        same = next((group for group in groups if runs[group[0]] == tokens), None)
        if same is None:
            groups.append([index])
        else:
            same.append(index)
    return tuple(map(tuple, groups))
