"""The metrics of free-running outputs, and whether higher or lower is better for each metric."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.edit_distance import edit_distances
from core.events import Progress

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

TEACHER_FORCED = ("loss", "perplexity", "token_accuracy")
FREE_RUNNING = ("exact_match", "token_error_rate", "bleu", "chrf")
BUILT_IN = (*TEACHER_FORCED, *FREE_RUNNING)
ONLY_EVALUATED = ("sequence_error_rate", "tokenized_bleu")
"""What `evaluate` adds to the metrics of a validation."""
_CHUNK_SIZE = 32  # sentences compared at a time: 25 ms for 25 words each
LOWER_IS_BETTER = ("loss", "perplexity", "error_rate", "error")


@dataclass(frozen=True, kw_only=True)
class TextScores:
    """Metrics of outputs against references, with sacrebleu's signatures for BLEU and chrF."""

    metrics: dict[str, float]
    matches: tuple[bool, ...]  # whether each output is its reference
    token_edits: tuple[tuple[int, int], ...]  # per output: edit distance to its reference, reference tokens
    bleu_signature: str
    chrf_signature: str


def higher_is_better(metric: str) -> bool:
    """Whether higher is better for a metric, a plugin's included: not if its name ends as in LOWER_IS_BETTER."""
    return not metric.endswith(LOWER_IS_BETTER)


def score_texts(
    hypotheses: Sequence[str],
    references: Sequence[str],
    hypothesis_tokens: Sequence[Sequence[str]],
    reference_tokens: Sequence[Sequence[str]],
    stage: str,
) -> Generator[Progress, None, TextScores]:
    """The free-running metrics that every dataset has, of texts as their tokenizer joins them.

    Works in pieces and yields its progress: BLEU and chrF are computed from sums over the sentences.
    """
    from sacrebleu.metrics.chrf import CHRF  # takes 0.15 s, so only when validating

    bleu, chrf = bleu_metric(references), CHRF()
    bleu_statistics, chrf_statistics = [], []
    edits: list[tuple[int, int]] = []
    for chunk in chunks(len(hypotheses)):
        bleu_statistics += _statistics(bleu, hypotheses[chunk], references[chunk])
        chrf_statistics += _statistics(chrf, hypotheses[chunk], references[chunk])
        edits += token_edits(hypothesis_tokens[chunk], reference_tokens[chunk])
        yield Progress(stage=stage, done=len(edits), total=len(hypotheses))
    _clear_tokenizer_caches()
    matches = tuple(h == r for h, r in zip(hypotheses, references, strict=True))
    metrics = {
        "exact_match": float(np.mean(matches)),
        "token_error_rate": token_error_rate(edits),
        "bleu": _corpus_score(bleu, bleu_statistics),
        "chrf": _corpus_score(chrf, chrf_statistics),
    }
    return TextScores(
        metrics=metrics,
        matches=matches,
        token_edits=tuple(edits),
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
    )


def compute_tokenized_bleu(
    hypotheses: Sequence[str], references: Sequence[str], stage: str
) -> Generator[Progress, None, tuple[float, str]]:
    """BLEU by `tokenized_bleu_metric`, and its signature; works in pieces, as `score_texts` does."""
    bleu, bleu_statistics = tokenized_bleu_metric(references), []
    for chunk in chunks(len(hypotheses)):
        bleu_statistics += _statistics(bleu, hypotheses[chunk], references[chunk])
        yield Progress(stage=stage, done=len(bleu_statistics), total=len(hypotheses))
    return _corpus_score(bleu, bleu_statistics), str(bleu.get_signature())


def chunks(count: int) -> Iterator[slice]:
    """Slices of `count` sentences, small enough that other work can have its turn between two of them."""
    return (slice(start, start + _CHUNK_SIZE) for start in range(0, count, _CHUNK_SIZE))


def _statistics(metric: BLEU | CHRF, hypotheses: Sequence[str], references: Sequence[str]) -> list[list[int]]:
    """sacrebleu's counts for each sentence; `_corpus_score` all of them equals its `corpus_score`."""
    statistics: list[list[int]] = metric._extract_corpus_statistics(hypotheses, [references])
    return statistics


def _corpus_score(metric: BLEU | CHRF, statistics: Sequence[Sequence[int]]) -> float:
    """The corpus score, from the `_statistics` of its sentences."""
    return float(metric._aggregate_and_compute(statistics).score)


def _clear_tokenizer_caches() -> None:
    """Clear sacrebleu's cache of 65,536 tokenised lines, which nothing reads again: 55 MB for lines of 16 words."""
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

    for tokenizer in (Tokenizer13a, TokenizerRegexp):
        tokenizer.__call__.cache_clear()


def bleu_metric(references: Sequence[str], **options: Any) -> BLEU:
    """BLEU of n-grams up to four.

    If no reference has four tokens, that is undefined (sacrebleu gives 0): then only the orders that occur count
    (`eff:yes` in the signature), so that correct single words score 100.
    """
    from sacrebleu.metrics.bleu import BLEU

    bleu = BLEU(force=True, **options)  # force: no log line about texts that look tokenised
    bleu.effective_order = all(len(bleu.tokenizer(text).split()) < bleu.max_ngram_order for text in references)
    return bleu


def tokenized_bleu_metric(references: Sequence[str]) -> BLEU:
    """BLEU as papers on small corpora report it: lower-cased, and split at spaces only."""
    return bleu_metric(references, lowercase=True, tokenize="none")


def token_edits(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> tuple[tuple[int, int], ...]:
    """For each pair, the edit distance from output to reference, and the number of reference tokens."""
    return tuple(zip(edit_distances(hypotheses, references).tolist(), map(len, references), strict=True))


def token_error_rate(edits: Sequence[Sequence[float]]) -> float:
    """From `token_edits` [N, 2]: edits over reference tokens, both summed over the corpus.

    Above 1 where outputs are far too long.
    """
    total, reference_tokens = map(sum, zip(*edits, strict=True))
    return float(total / max(1, reference_tokens))
