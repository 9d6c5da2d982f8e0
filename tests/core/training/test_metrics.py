"""Free-running metrics, compared with plain formulas and known answers."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

from core.training.metrics import (
    TextScores,
    bleu_metric,
    compute_tokenized_bleu,
    higher_is_better,
    score_texts,
    token_edits,
    token_error_rate,
    tokenized_bleu_metric,
)
from tests.core.training.small_runs import finish


def scored(outputs: list[str], references: list[str]) -> TextScores:
    tokens, reference_tokens = ([text.split() for text in texts] for texts in (outputs, references))
    return finish(score_texts(outputs, references, tokens, reference_tokens, "comparing"))[1]


def tokenized(outputs: list[str], references: list[str]) -> tuple[float, str]:
    return finish(compute_tokenized_bleu(outputs, references, "comparing"))[1]


def test_token_error_rate_is_over_the_corpus_not_the_mean_of_sentences() -> None:
    edits = token_edits([["a"], ["x", "b", "c", "d"]], [["b"], ["a", "b", "c", "d"]])
    assert edits == ((1, 1), (1, 4)) and token_error_rate(edits) == pytest.approx(2 / 5)
    assert token_error_rate(token_edits([[]], [["a", "b"]])) == 1.0
    assert token_error_rate(token_edits([["a", "a", "a"]], [["b"]])) == 3.0
    assert token_error_rate(token_edits([["a", "a"]], [[]])) == 2.0  # not one reference token


def test_perfect_outputs_get_the_best_value_of_every_metric() -> None:
    texts = ["the cat sat on the mat", "a dog ran over the long bridge"]
    scores = scored(texts, texts)
    assert scores.metrics == pytest.approx({"exact_match": 1.0, "token_error_rate": 0.0, "bleu": 100.0, "chrf": 100.0})
    assert "version" in scores.bleu_signature and "version" in scores.chrf_signature


def test_wrong_and_empty_outputs_score_worse() -> None:
    references = ["the cat sat on the mat", "a dog ran over the long bridge"]
    outputs = ["the cat sat on a mat", ""]
    scores = scored(outputs, references)
    assert scores.metrics["exact_match"] == 0.0
    assert scores.metrics["token_error_rate"] == pytest.approx(8 / 13)
    assert 0.0 < scores.metrics["bleu"] < 100.0 and 0.0 < scores.metrics["chrf"] < 100.0


def test_bleu_of_targets_without_4_grams_uses_shorter_n_grams() -> None:
    words = ["one", "two", "three", "four"]
    scores = scored(["one", "two", "three", "five"], words)
    assert scores.metrics["bleu"] == pytest.approx(75.0) and "eff:yes" in scores.bleu_signature
    longer = [*words, "a reference of four"]
    scores = scored(longer, longer)
    assert scores.metrics["bleu"] == pytest.approx(100.0) and "eff:no" in scores.bleu_signature


def test_tokenized_bleu_keeps_the_tokens_and_ignores_case() -> None:
    reference = "a well-known man 's hat , on a dog ."
    bleu, signature = tokenized([reference.upper()], [reference])
    assert bleu == pytest.approx(100.0)
    assert "case:lc" in signature and "tok:none" in signature and "eff:no" in signature
    assert tokenized([reference.replace("-", " ")], [reference])[0] < 70.0


def test_scoring_a_corpus_in_pieces_gives_the_scores_of_the_whole() -> None:
    draw, words = random.Random(0), ["a", "dog", "Ran", "over", "the", "well-known", "bridge", ",", "."]
    references = [" ".join(draw.choices(words, k=draw.randrange(20))) for _ in range(1000)]
    outputs = [" ".join(draw.choices(words, k=3)) + text[5:] for text in references]
    found = scored(outputs, references)
    for metric, score, signature in (
        (bleu_metric(references), found.metrics["bleu"], found.bleu_signature),
        (CHRF(), found.metrics["chrf"], found.chrf_signature),
        (tokenized_bleu_metric(references), *tokenized(outputs, references)),
    ):
        assert score == metric.corpus_score(outputs, [references]).score
        assert signature == str(metric.get_signature())
    edits = token_edits([text.split() for text in outputs], [text.split() for text in references])
    assert found.token_edits == edits and found.metrics["token_error_rate"] == token_error_rate(edits)


def test_sacrebleus_caches_are_empty_after_scoring() -> None:
    texts = [f"a sentence, number {number}" for number in range(50)]
    finish(score_texts(texts, texts, [[]] * 50, [["a"]] * 50, "scoring"))
    caches = [tokenizer.__call__.cache_info() for tokenizer in (Tokenizer13a, TokenizerRegexp)]
    assert [cache.currsize for cache in caches] == [0, 0]


def test_scoring_many_texts_yields_every_few_texts() -> None:
    texts = ["a dog ran over the long bridge"] * 1000
    tokens = [text.split() for text in texts]
    scorers = score_texts(texts, texts, tokens, tokens, "comparing"), compute_tokenized_bleu(texts, texts, "comparing")
    for work in scorers:
        done = [0, *(progress.done for progress in finish(work)[0])]
        assert done[-1] == 1000 and max(b - a for a, b in pairwise(done)) <= 32


def test_the_direction_of_every_metric_is_known() -> None:
    falling = ["valid/loss", "valid/perplexity", "valid/token_error_rate", "sequence_error_rate", "letter_error_rate"]
    rising = ["valid/token_accuracy", "valid/exact_match", "valid/bleu", "valid/chrf", "clean_accuracy"]
    assert not any(map(higher_is_better, falling)) and all(map(higher_is_better, rising))
