"""The names, units and meanings of the metrics of validations, and how tables write them."""

from __future__ import annotations

from typing import NamedTuple

from core.per_cent import per_cent
from core.validation_size import NUM_FREE_RUNNING

LOSS = "valid/loss"
_OF_A_HUNDRED = "0 to 100"
_EDITS = "edits per reference token"
_FREE = f"free-running, of the first {NUM_FREE_RUNNING} validation sentences at most"


class MetricLabel(NamedTuple):
    """A metric in words; `unit` is empty for a plugin's own metric."""

    title: str
    unit: str
    meaning: str


_LABELS = {
    LOSS: MetricLabel(
        "loss",
        "nats per target token",
        "Unsmoothed cross entropy in nats per target token, <eos> counted. Train is measured with dropout, valid "
        "without.",
    ),
    "valid/perplexity": MetricLabel(
        "perplexity",
        "tokens",
        "e to the power of the loss: the number of equally likely tokens one would have to guess among.",
    ),
    "valid/token_accuracy": MetricLabel(
        "token accuracy",
        "share of target tokens",
        "Share of the target tokens, <eos> counted, that are the model's first choice, teacher-forced: the decoder "
        "reads the reference.",
    ),
    "valid/exact_match": MetricLabel(
        "exact match",
        "share of sentences",
        f"Share of the sentences written exactly as their references, {_FREE}. One minus it is the sequence error "
        "rate.",
    ),
    "valid/token_error_rate": MetricLabel(
        "token error rate",
        _EDITS,
        f"Edits that turn the outputs into their references, for each reference token, {_FREE}; above 1 where outputs "
        "are far too long.",
    ),
    "valid/bleu": MetricLabel(
        "BLEU",
        _OF_A_HUNDRED,
        f"How many of the outputs' n-grams of one to four words are in their references, {_FREE}. Outputs shorter than "
        "these in total score less.",
    ),
    "valid/chrf": MetricLabel(
        "chrF", _OF_A_HUNDRED, f"How many n-grams of characters output and reference share, {_FREE}."
    ),
}


def metric_label(metric: str) -> MetricLabel:
    """The words of a metric, given its name in validations; a plugin's own metric has the plugin's name for it."""
    own = metric.removeprefix("valid/")
    return _LABELS.get(metric) or MetricLabel(own, "", f"{own}: a metric of the dataset's plugin, {_FREE}.")


def format_metric(metric: str, value: float, figures: int = 4) -> str:
    """A metric's value as text: a loss with four decimals; shares, errors a token, BLEU and chrF with one decimal.

    Shares and errors a token are in per cent. Other metrics have `figures` significant figures, as in 12,350.
    """
    if metric == LOSS:
        return f"{value:.4f}"
    unit = metric_label(metric).unit
    if unit == _OF_A_HUNDRED:
        return f"{value:.1f}"
    is_ratio = unit.startswith("share") or unit == _EDITS
    return per_cent(value, 1) if is_ratio else with_thousands(f"{value:.{figures}g}")


def with_thousands(rounded: str) -> str:
    """A rounded number as axes write it, 8,120 instead of 8.12e+03; one from a million up stays as it is."""
    return f"{float(rounded):,.0f}" if 1e3 <= abs(float(rounded)) < 1e6 else rounded


def metric_axis_label(metric: str) -> str:
    """A metric with its unit, for an axis label."""
    title, unit, _ = metric_label(metric)
    return f"{title}, {unit}" if unit else title


def metric_heading(metric: str) -> str:
    """A metric with its unit and a capital letter, for a title; a plugin's own name stays as the plugin writes it."""
    name = metric_axis_label(metric)
    return f"{name[0].upper()}{name[1:]}" if metric_label(metric).unit else name
