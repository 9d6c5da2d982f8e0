"""What a validation measures of free-running outputs, and which way each metric is better."""

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
_PIECE = 32  # sentences compared at once: of 25 words each, in 25 ms
LOWER_IS_BETTER = ("loss", "perplexity", "error_rate", "error")


@dataclass(frozen=True, kw_only=True)
class TextScores:
    """Metrics of outputs against references, and how sacrebleu computed its two."""

    metrics: dict[str, float]
    matches: tuple[bool, ...]  # whether each output is its reference
    token_edits: tuple[tuple[int, int], ...]  # of each output: edits that make it its reference, reference tokens
    bleu_signature: str
    chrf_signature: str


def higher_is_better(metric: str) -> bool:
    """The direction of any metric, a plugin's own included: those whose name ends as in LOWER_IS_BETTER fall."""
    return not metric.endswith(LOWER_IS_BETTER)


def score_texts(
    hypotheses: Sequence[str],
    references: Sequence[str],
    hypothesis_tokens: Sequence[Sequence[str]],
    reference_tokens: Sequence[Sequence[str]],
    stage: str,
) -> Generator[Progress, None, TextScores]:
    """The free-running metrics of every dataset; texts are joined as their tokenizer joins them.

    Piece by piece, saying how far it is: BLEU and chrF are worked out of sums over the sentences.
    """
    from sacrebleu.metrics.chrf import CHRF  # 0.15 s, for whoever validates

    bleu, chrf = bleu_metric(references), CHRF()
    of_bleu, of_chrf = [], []
    edits: list[tuple[int, int]] = []
    for piece in pieces(len(hypotheses)):
        of_bleu += _statistics(bleu, hypotheses[piece], references[piece])
        of_chrf += _statistics(chrf, hypotheses[piece], references[piece])
        edits += token_edits(hypothesis_tokens[piece], reference_tokens[piece])
        yield Progress(stage=stage, done=len(edits), total=len(hypotheses))
    _forget_lines()
    matches = tuple(h == r for h, r in zip(hypotheses, references, strict=True))
    metrics = {
        "exact_match": float(np.mean(matches)),
        "token_error_rate": token_error_rate(edits),
        "bleu": _score_of(bleu, of_bleu),
        "chrf": _score_of(chrf, of_chrf),
    }
    return TextScores(
        metrics=metrics,
        matches=matches,
        token_edits=tuple(edits),
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
    )


def tokenized_bleu_of(
    hypotheses: Sequence[str], references: Sequence[str], stage: str
) -> Generator[Progress, None, tuple[float, str]]:
    """BLEU of `tokenized_bleu_metric`, with its signature; piece by piece as `score_texts`."""
    bleu, of_bleu = tokenized_bleu_metric(references), []
    for piece in pieces(len(hypotheses)):
        of_bleu += _statistics(bleu, hypotheses[piece], references[piece])
        yield Progress(stage=stage, done=len(of_bleu), total=len(hypotheses))
    return _score_of(bleu, of_bleu), str(bleu.get_signature())


def pieces(count: int) -> Iterator[slice]:
    """Of so many sentences: whoever works on them lets others have their turn after each."""
    return (slice(start, start + _PIECE) for start in range(0, count, _PIECE))


def _statistics(metric: BLEU | CHRF, hypotheses: Sequence[str], references: Sequence[str]) -> list[list[int]]:
    """What sacrebleu counts in each sentence; its `corpus_score` is `_score_of` all of them."""
    counted: list[list[int]] = metric._extract_corpus_statistics(hypotheses, [references])
    return counted


def _score_of(metric: BLEU | CHRF, counted: Sequence[Sequence[int]]) -> float:
    """The score of sentences of which `_statistics` were taken."""
    return float(metric._aggregate_and_compute(counted).score)


def _forget_lines() -> None:
    """sacrebleu keeps the last 65,536 lines that it has cut, for no next one: of sixteen words each 55 MB."""
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

    for tokenizer in (Tokenizer13a, TokenizerRegexp):
        tokenizer.__call__.cache_clear()


def bleu_metric(references: Sequence[str], **options: Any) -> BLEU:
    """BLEU of n-grams up to four. Where no reference has four tokens it has no value (sacrebleu says 0): there up to as
    many as there are (`eff:yes` in the signature), so that single words right are 100.
    """
    from sacrebleu.metrics.bleu import BLEU

    bleu = BLEU(force=True, **options)  # force: no log line about texts that look tokenised
    bleu.effective_order = all(len(bleu.tokenizer(text).split()) < bleu.max_ngram_order for text in references)
    return bleu


def tokenized_bleu_metric(references: Sequence[str]) -> BLEU:
    """BLEU as papers on small corpora have it: lower-cased, on the tokens that spaces separate."""
    return bleu_metric(references, lowercase=True, tokenize="none")


def token_edits(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> tuple[tuple[int, int], ...]:
    """Of each pair how many edits make the output its reference, and the reference's tokens."""
    return tuple(zip(edit_distances(hypotheses, references).tolist(), map(len, references), strict=True))


def token_error_rate(edits: Sequence[Sequence[float]]) -> float:
    """Of `token_edits` [N, 2], both summed over the corpus: edits over reference tokens; above 1 where outputs are far
    too long.
    """
    total, reference_tokens = map(sum, zip(*edits, strict=True))
    return float(total / max(1, reference_tokens))
