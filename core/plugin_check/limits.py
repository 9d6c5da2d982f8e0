"""Checks the limits that a plugin gives: they name metrics that exist, and are possible values of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from core.answers.plugin_report import Finding
from core.data.unigram import frequency_loss
from core.plugin_check.optional_methods import NUM_SCORED_PAIRS, PREFIX, metrics_of
from core.plugin_check.sample import Sample
from core.training.metrics import BUILT_IN

RANGES = {
    "valid/perplexity": (1.0, math.inf),
    "valid/token_accuracy": (0.0, 1.0),
    "valid/exact_match": (0.0, 1.0),
    "valid/bleu": (0.0, 100.0),
    "valid/chrf": (0.0, 100.0),
    "valid/loss": (0.0, math.inf),
    "valid/token_error_rate": (0.0, math.inf),
}
GUESSING_TOLERANCE = 1.1
"""A limit may be this many times the loss of guessing, which is only estimated from the pairs that were drawn."""


def check_limits(sample: Sample) -> Iterator[Finding]:
    """Find limits of metrics that do not exist, out of the metric's range, or worse than guessing.

    Limits that are not finite are refused earlier (`core.plugins_host.checked_calls`). Whether a limit is the true one
    only the plugin's author knows: a model does better on pairs that it has memorised.
    """
    limits = sample.host.limits(sample.info.name, sample.options)
    yield from _check_names(sample, list(limits))
    for name, value in limits.items():
        least, most = RANGES.get(name, (-math.inf, math.inf))
        if not least <= value <= most:
            yield _finding(
                f"gives {name!r} as {value:g}, which is impossible; expected "
                + (f"at least {least:g}" if most == math.inf else f"a number from {least:g} to {most:g}"),
                "Accuracies and rates are fractions, BLEU and chrF go to 100, losses are nats.",
            )
    yield from _check_loss(sample, limits.get("valid/loss", 0.0))


def _check_names(sample: Sample, names: list[str]) -> Iterator[Finding]:
    plugin_metrics = list(metrics_of(sample, [pair.target for pair in sample.splits["valid"].pairs[:NUM_SCORED_PAIRS]]))
    plugin_metrics = [name.removeprefix(PREFIX) for name in plugin_metrics]  # that they have it is another finding
    known = [f"{PREFIX}{name}" for name in dict.fromkeys((*BUILT_IN, *plugin_metrics))]
    for name in names:
        if f"{PREFIX}{name}" in known:
            yield _finding(
                f"names {name!r}, which in curves and validations is 'valid/{name}'; expected that name",
                f"Write 'valid/{name}' in limits(); metrics() returns it without valid/, which is put before it.",
            )
        elif name not in known:
            yield _finding(
                f"names {name!r}, which no validation has; expected one of {', '.join(known)}",
                "Correct the name, or return that metric from metrics(), without valid/.",
            )


def _check_loss(sample: Sample, limit: float) -> Iterator[Finding]:
    texts = sample.splits["valid"].tgt_tokens
    counts = Counter(token for text in texts for token in text)
    guessing = frequency_loss(np.array([len(texts), *counts.values()]))  # each text ends with <eos>
    if limit > GUESSING_TOLERANCE * guessing:
        yield _finding(
            f"gives 'valid/loss' as {limit:.3g}, but guessing by the frequency of target tokens alone reaches "
            f"{guessing:.3g}; expected the best that anyone can reach, in nats a target token",
            "Divide by the number of target tokens, <eos> counted, and use natural logarithms.",
        )


def _finding(what: str, advice: str) -> Finding:
    return Finding(check="limits", sentence=f"limits() {what}.", advice=advice)
