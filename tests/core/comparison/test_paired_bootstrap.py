"""The paired bootstrap test of the difference between two runs."""

from __future__ import annotations

import random

import numpy as np
import pytest

from core.comparison.paired_bootstrap import MetricComparison, Outputs, paired_bootstrap
from core.training.metrics import token_edits

REFERENCES = [f"the {number} cats sat on mat {number % 7} of the house" for number in range(60)]


def corrupted(every: int) -> list[str]:
    """The references with every `every`-th word replaced."""
    return [
        " ".join("dog" if (index + line) % every == 0 else word for index, word in enumerate(text.split()))
        for line, text in enumerate(REFERENCES)
    ]


def outputs(texts: list[str], references: list[str]) -> Outputs:
    """The outputs of a run whose tokens are words."""
    edits = token_edits([text.split() for text in texts], [text.split() for text in references])
    return Outputs(texts, [text == reference for text, reference in zip(texts, references, strict=True)], edits)


def compared(first: list[str], second: list[str], references: list[str] = REFERENCES) -> dict[str, MetricComparison]:
    found = paired_bootstrap(references, outputs(first, references), outputs(second, references))
    return {one.metric: one for one in found}


def test_a_run_that_is_better_throughout_has_a_small_p() -> None:
    found = compared(corrupted(3), REFERENCES)
    assert found["bleu"].p < 0.01 and found["chrf"].p < 0.01
    assert found["bleu"].scores[0] < 50.0 and found["bleu"].scores[1] > 99.9
    assert found["exact_match"].scores == (0.0, 1.0) and found["exact_match"].p < 0.01
    assert "bs:1000|seed:12345" in found["bleu"].signature


def test_a_chance_difference_has_a_large_p() -> None:
    draw = random.Random(0)
    first = [text if draw.random() < 0.5 else "no" for text in REFERENCES]
    second = [text if draw.random() < 0.5 else "no" for text in REFERENCES]
    found = compared(first, second)["exact_match"]
    assert found.scores[0] != found.scores[1] and 0.05 < found.p <= 1.0
    low, high = (found.means[0] + sign * found.half_widths[0] for sign in (-1, 1))
    assert low < found.scores[0] < high


def test_for_a_single_sentence_p_is_one() -> None:
    found = compared(corrupted(3)[:1], REFERENCES[:1], REFERENCES[:1])
    assert {one.p for one in found.values()} == {1.0} and found["bleu"].scores[0] < 50.0
    assert found["exact_match"].scores == (0.0, 1.0)


def test_without_a_token_in_the_references_every_edit_counts_as_one_of_a_token() -> None:
    assert compared(["a b", ""], ["", ""], ["", ""])["token_error_rate"].scores == (2.0, 0.0)


def test_p_is_one_for_equal_texts_and_results_are_reproducible() -> None:
    first = corrupted(4)
    assert {name: one.p for name, one in compared(first, first).items()} == {
        "bleu": 1.0,
        "tokenized_bleu": 1.0,
        "chrf": 1.0,
        "exact_match": 1.0,
        "token_error_rate": 1.0,
    }
    assert compared(first, corrupted(5)) == compared(first, corrupted(5))


def test_bleu_of_short_texts_uses_shorter_n_grams() -> None:
    found = compared(["a b", "c"] * 10, ["b", "c"] * 10, ["a b", "c"] * 10)
    assert found["bleu"].scores[0] > 99.9 and 0 < found["bleu"].scores[1] < 100.0
    assert "eff:yes" in found["bleu"].signature


def test_bleu_is_case_sensitive_and_tokenized_bleu_is_not() -> None:
    found = compared([text.upper() for text in REFERENCES], REFERENCES)
    assert found["tokenized_bleu"].scores[0] > 99.9 and found["bleu"].scores[0] < 50.0


def test_exact_match_uses_the_given_matches_not_the_texts() -> None:
    edits = [(0, 1), (0, 1)]
    first, second = (Outputs(["a  b", "c"], matches, edits) for matches in ([False, True], [True, True]))
    found = {one.metric: one for one in paired_bootstrap(["a b", "c"], first, second)}
    assert found["exact_match"].scores == (0.5, 1.0)


def test_the_token_error_rate_of_draws_equals_that_calculated_by_hand() -> None:
    first = [*["a"] * 6, *["a b c"] * 14]  # 6 single tokens right, 14 times 1 edit in 2 tokens
    second = [*["b"] * 6, *["a b"] * 9, *["a"] * 5]  # 6 times 1 edit in 1 token, 5 times 1 in 2
    references = [*["a"] * 6, *["a b"] * 14]
    found = compared(first, second, references)["token_error_rate"]
    assert found.scores == pytest.approx((14 / 34, 11 / 34))
    drawn = np.random.default_rng(12345).choice(20, size=(1000, 20), replace=True)
    tokens = np.array([1] * 6 + [2] * 14)[drawn].sum(1)
    rates = [np.array(edits)[drawn].sum(1) / tokens for edits in ([0] * 6 + [1] * 14, [1] * 6 + [0] * 9 + [1] * 5)]
    assert found.means == pytest.approx(tuple(rate.mean() for rate in rates), rel=1e-4)
    differences = np.abs(rates[1] - rates[0])
    beyond = differences - differences.mean() > 3 / 34
    assert found.p == pytest.approx((beyond.sum() + 1) / 1001)
    assert 0.01 < found.p < 0.99
