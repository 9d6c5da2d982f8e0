"""Free-running metrics against plain formulas and known answers."""

from __future__ import annotations

import pytest

from core.training.metrics import (
    higher_is_better,
    score_texts,
    token_edits,
    token_error_rate,
    tokenized_bleu_of,
)


def test_token_error_rate_is_over_the_corpus_not_the_mean_of_sentences() -> None:
    edits = token_edits([["a"], ["x", "b", "c", "d"]], [["b"], ["a", "b", "c", "d"]])
    assert edits == ((1, 1), (1, 4)) and token_error_rate(edits) == pytest.approx(2 / 5)
    assert token_error_rate(token_edits([[]], [["a", "b"]])) == 1.0
    assert token_error_rate(token_edits([["a", "a", "a"]], [["b"]])) == 3.0


def test_perfect_outputs_get_the_best_of_every_metric() -> None:
    texts = ["the cat sat on the mat", "a dog ran over the long bridge"]
    tokens = [text.split() for text in texts]
    scores = score_texts(texts, texts, tokens, tokens)
    assert scores.metrics == pytest.approx({"exact_match": 1.0, "token_error_rate": 0.0, "bleu": 100.0, "chrf": 100.0})
    assert "version" in scores.bleu_signature and "version" in scores.chrf_signature


def test_wrong_and_empty_outputs_score_worse() -> None:
    references = ["the cat sat on the mat", "a dog ran over the long bridge"]
    outputs = ["the cat sat on a mat", ""]
    scores = score_texts(outputs, references, [t.split() for t in outputs], [t.split() for t in references])
    assert scores.metrics["exact_match"] == 0.0
    assert scores.metrics["token_error_rate"] == pytest.approx(8 / 13)
    assert 0.0 < scores.metrics["bleu"] < 100.0 and 0.0 < scores.metrics["chrf"] < 100.0


def test_targets_too_short_for_bleu_are_scored_by_the_n_grams_they_have() -> None:
    words = ["one", "two", "three", "four"]
    tokens = [[word] for word in words]
    scores = score_texts(["one", "two", "three", "five"], words, tokens, tokens)
    assert scores.metrics["bleu"] == pytest.approx(75.0) and "eff:yes" in scores.bleu_signature
    longer = [*words, "a reference of four"]
    scores = score_texts(longer, longer, tokens, tokens)
    assert scores.metrics["bleu"] == pytest.approx(100.0) and "eff:no" in scores.bleu_signature


def test_tokenized_bleu_takes_the_tokens_as_they_are_and_no_notice_of_case() -> None:
    reference = "a well-known man 's hat , on a dog ."
    bleu, signature = tokenized_bleu_of([reference.upper()], [reference])
    assert bleu == pytest.approx(100.0)
    assert "case:lc" in signature and "tok:none" in signature and "eff:no" in signature
    assert tokenized_bleu_of([reference.replace("-", " ")], [reference])[0] < 70.0


def test_the_direction_of_every_metric_is_known() -> None:
    falling = ["valid/loss", "valid/perplexity", "valid/token_error_rate", "sequence_error_rate", "letter_error_rate"]
    rising = ["valid/token_accuracy", "valid/exact_match", "valid/bleu", "valid/chrf", "clean_accuracy"]
    assert not any(map(higher_is_better, falling)) and all(map(higher_is_better, rising))
