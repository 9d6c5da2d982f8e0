"""Whether one system's texts are better than another's, or only happened to fit the sentences (Koehn 2004).

This is sacrebleu's paired bootstrap: the sentences are resampled with replacement a thousand times. p is the share of
the draws whose absolute difference exceeds the mean of these by more than the observed difference. Where systems differ
clearly, it counts one direction alone: of pairs of equal systems, right in half of 100 sentences, a ninth has p < 0.05.
The seed is fixed (12345, or SACREBLEU_SEED), so the same texts give the same figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sacrebleu.metrics.base import Metric, Score
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.significance import PairedTest

from core.training.metrics import bleu_metric, tokenized_bleu_metric

NUM_SAMPLES = 1000
MIN_SENTENCES = 6  # sentences: of five, one system is better in each by chance alone in 2 of 32 cases, more than 5 %


class Outputs(NamedTuple):
    """What a system wrote, in the order of the references."""

    texts: Sequence[str]
    matches: Sequence[bool]  # whether each is its reference
    token_edits: Sequence[tuple[int, int]]  # edit distance to the reference, reference tokens


@dataclass(frozen=True, kw_only=True)
class MetricComparison:
    """One metric of two systems: their scores, 95 % intervals over the samples, and the p of their difference."""

    metric: str
    scores: tuple[float, float]
    means: tuple[float, float]  # over the samples
    half_widths: tuple[float, float]  # of the interval around the mean that holds 95 % of the samples
    p: float  # sacrebleu's
    signature: str


def paired_bootstrap(references: Sequence[str], first: Outputs, second: Outputs) -> list[MetricComparison]:
    """Compare two systems' outputs for the same references by `evaluate`'s BLEUs, chrF (0 to 100), exact match and
    token error rate.
    """
    metrics = {
        "bleu": bleu_metric(references),
        "tokenized_bleu": tokenized_bleu_metric(references),
        "chrf": CHRF(),
    }
    texts = [("first", first.texts), ("second", second.texts)]
    matches = [("first", _as_ratios(first.matches)), ("second", _as_ratios(second.matches))]
    edits = [("first", first.token_edits), ("second", second.token_edits)]
    return [
        *(_compared(name, metric, references, texts) for name, metric in metrics.items()),
        _compared("exact_match", RatioMetric("exact match"), references, matches),
        _compared("token_error_rate", RatioMetric("token error rate"), references, edits),
    ]


def _as_ratios(matches: Sequence[bool]) -> list[tuple[int, int]]:
    return [(int(match), 1) for match in matches]


def _compared(
    name: str, metric: Metric, references: Sequence[str], systems: Sequence[tuple[str, Sequence[Any]]]
) -> MetricComparison:
    """Compare by one metric at a time: sacrebleu identifies metrics by names of its own, which the two BLEUs share."""
    test = PairedTest(systems, {name: metric}, [references], test_type="bs", n_samples=NUM_SAMPLES)
    signatures, results = test()
    ((name_in_sacrebleu, signature),) = signatures.items()
    first, second = results[name_in_sacrebleu]
    # sacrebleu gives the smallest possible p to equal scores, and to a single sentence, which is every sample.
    is_distinguishable = first.score != second.score and len(references) > 1
    return MetricComparison(
        metric=name,
        scores=(float(first.score), float(second.score)),
        means=(float(first.mean), float(second.mean)),
        half_widths=(float(first.ci), float(second.ci)),
        p=float(second.p_value) if is_distinguishable else 1.0,
        signature=str(signature),
    )


class RatioMetric(Metric):  # type: ignore[misc]  # sacrebleu's classes are Any to mypy
    """A share over outputs, given as `evaluate`'s counts for each, in the form that sacrebleu resamples: [part, whole].

    Counts, since a text alone no longer says which tokens were written.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def _preprocess_segment(self, sent: Any) -> Any:
        return sent

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        return {}

    def _compute_segment_statistics(self, hypothesis: Sequence[int], ref_kwargs: Mapping[str, Any]) -> list[int]:
        return list(hypothesis)

    def _aggregate_and_compute(self, stats: Sequence[Sequence[int]]) -> Score:
        return self._compute_score_from_stats([sum(column) for column in zip(*stats, strict=True)])

    def _compute_score_from_stats(self, stats: Sequence[float]) -> Score:
        some, of_all = stats
        return Score(self._name, some / max(1, of_all))
