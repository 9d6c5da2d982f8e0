"""Beam search over a batch, with the length penalty of Wu et al. 2016."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID
from core.decoding.greedy import COMPACT_AT
from core.decoding.hypothesis import ScoredHypothesis, penalty
from core.decoding.incremental_decoder import FIRST_OUTPUT_ID, IncrementalDecoder
from core.model.evaluation import evaluating
from core.model.transformer import Transformer

_CHUNK = 64
_LEAST = -1e30  # of a forced token: sums of these are finite, so that its place is not taken for an empty one


@dataclass(frozen=True, kw_only=True)
class BeamSearchSettings:
    """How to search: beam size, exponent of the length penalty, most tokens (`<eos>` included), outputs to return.

    `prefix` holds the ids that every output begins with.
    """

    beam_size: int
    length_penalty: float
    max_length: int
    num_best: int = 1
    prefix: tuple[int, ...] = ()


OnStep = Callable[[Tensor, Tensor, Tensor], None]  # parents, newest ids and log-probabilities, [B, K] each


def beam_decode(
    model: Transformer, src: Tensor, src_mask: Tensor, search: BeamSearchSettings, on_step: OnStep | None = None
) -> list[list[ScoredHypothesis]]:
    """The best hypotheses of each source [B, S], best first; those cut at max_length come last.

    At each step the most probable continuations of a sentence's hypotheses take the places of its beam. One that ends
    in `<eos>` is finished and leaves its place empty (Sutskever et al. 2014, section 3.2): a beam of one is greedy
    decoding. If the numbers of one overflow, its continuations rank first and take all places of the sentence: they
    leave them too, and count as cut. A sentence is done when its places are empty, or when no hypothesis in them can
    still score better than the `num_best` best finished ones. `on_step` is called at each step with the hypotheses that
    take the places, before the finished ones leave.
    Raises UserError when the sources or max_length exceed the model's positions.
    """
    with evaluating(model):
        decoder = IncrementalDecoder(model, src, src_mask, max_length=search.max_length, num_beams=search.beam_size)
        beams = _BeamState(search, len(src), src.device)
        for _ in range(search.max_length):
            parents = beams.extend(decoder.step(beams.newest.flatten()))
            if on_step is not None:
                on_step(parents, beams.newest, beams.log_probabilities)
            beams.collect_finished()
            decoder.reorder(parents)
            unfinished = beams.unfinished()
            if len(unfinished) == 0:
                break
            if len(unfinished) <= (1.0 - COMPACT_AT) * len(beams.sentences):
                decoder.keep(unfinished)
                beams.keep(unfinished)
        return beams.best()


class _BeamState:
    """The hypotheses of the sentences still in the batch, and the finished ones of all sentences."""

    def __init__(self, search: BeamSearchSettings, num_sentences: int, device: torch.device) -> None:
        self.search = search
        self.length = 0
        self.sentences = torch.arange(num_sentences, device=device)  # their rows in the whole batch
        shape = (num_sentences, search.beam_size)
        self.newest = torch.full(shape, BOS_ID, device=device)
        self.chosen = torch.full((*shape, search.max_length), PAD_ID, device=device)
        self.log_probabilities = torch.full(shape, -torch.inf, device=device)  # -inf: an empty place
        self.log_probabilities[:, 0] = 0.0  # the places begin as one hypothesis
        self.num_open = torch.full((num_sentences, 1), search.beam_size, device=device)  # not yet left
        self.score_to_beat = torch.full((num_sentences,), -torch.inf, device=device)
        self.finished: list[list[ScoredHypothesis]] = [[] for _ in range(num_sentences)]

    def extend(self, logits: Tensor) -> Tensor:
        """Fill the places with the best continuations; return their parents [B, K]. Overwrites logits [B * K, V]."""
        total = torch.log_softmax(logits, -1, out=logits).view(*self.newest.shape, -1)
        if self.length < len(self.search.prefix):
            _mask_all_but(total, self.search.prefix[self.length] - FIRST_OUTPUT_ID)
        total += self.log_probabilities[..., None]
        values, indices = top_k(total.flatten(1), self.search.beam_size)
        parents = indices // total.shape[-1]
        self.newest = indices % total.shape[-1] + FIRST_OUTPUT_ID
        self.chosen = self.chosen.gather(1, parents[..., None].expand_as(self.chosen))
        self.chosen[..., self.length] = self.newest
        self.length += 1
        rank = torch.arange(self.search.beam_size, device=logits.device)
        self.log_probabilities = values.masked_fill(rank >= self.num_open, -torch.inf)
        return parents

    def unfinished(self) -> Tensor:
        """The rows of sentences that are not done. [N]."""
        best = self.log_probabilities.amax(1)
        # More tokens only lower a log-probability, and the longest output divides it by the largest penalty.
        reachable = best / penalty(self.search.max_length, self.search.length_penalty)
        return (reachable > self.score_to_beat).nonzero()[:, 0]

    def keep(self, rows: Tensor) -> None:
        """Keep only these rows [N], in this order."""
        self.sentences, self.newest, self.chosen = self.sentences[rows], self.newest[rows], self.chosen[rows]
        self.log_probabilities = self.log_probabilities[rows]
        self.num_open, self.score_to_beat = self.num_open[rows], self.score_to_beat[rows]

    def best(self) -> list[list[ScoredHypothesis]]:
        """The best hypotheses of every sentence of the whole batch, unfinished ones included."""
        found = [sorted(finished, key=_by_score) for finished in self.finished]
        for row, beam in (self.log_probabilities != -torch.inf).nonzero().tolist():
            found[int(self.sentences[row])].append(self._hypothesis(row, beam, finished=False))
        return [hypotheses[: self.search.num_best] for hypotheses in found]

    def collect_finished(self) -> None:
        """Move out of their places the hypotheses that ended in `<eos>`, and those that overflowed to NaN."""
        is_eos = self.newest == EOS_ID
        ended = (is_eos | self.log_probabilities.isnan()) & (self.log_probabilities != -torch.inf)
        for row, beam in ended.nonzero().tolist():
            finished = self.finished[int(self.sentences[row])]
            finished.append(self._hypothesis(row, beam, finished=bool(is_eos[row, beam])))
            if len(finished) >= self.search.num_best:
                self.score_to_beat[row] = sorted(one.score for one in finished)[-self.search.num_best]
        self.log_probabilities = self.log_probabilities.masked_fill(ended, -torch.inf)
        self.num_open = self.num_open - ended.sum(1, keepdim=True)

    def _hypothesis(self, row: int, beam: int, *, finished: bool) -> ScoredHypothesis:
        length = self.length - finished
        score = float(self.log_probabilities[row, beam]) / penalty(self.length, self.search.length_penalty)
        return ScoredHypothesis(self.chosen[row, beam, :length].tolist(), finished, score)


def _mask_all_but(log_probabilities: Tensor, column: int) -> None:
    """Set all of [B, K, V] but this column of V to -inf. If this one has overflowed, it gets `_LEAST`."""
    kept = log_probabilities[..., column].clamp(min=_LEAST)
    log_probabilities.fill_(-torch.inf)
    log_probabilities[..., column] = kept


def top_k(values: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k largest of each row of values [B, N], largest first, and their indices: a faster `values.topk(k)`.

    They lie in the k chunks with the largest maxima. torch's own, which first copies every value beside its index,
    takes 5.2 ms for 64 rows of 40,000, this 0.8 (one thread).
    """
    num_chunks = values.shape[1] // _CHUNK
    if num_chunks <= k:
        found = values.topk(k)
        return found.values, found.indices
    in_chunks = num_chunks * _CHUNK
    chunks = values[:, :in_chunks].view(-1, num_chunks, _CHUNK).amax(-1).topk(k).indices
    indices = torch.arange(values.shape[1], device=values.device)
    chosen = indices[:in_chunks].view(num_chunks, _CHUNK)[chunks].flatten(1)
    rest = indices[in_chunks:].expand(len(values), -1)
    candidates = torch.cat([chosen, rest], 1)
    found = values.gather(1, candidates).topk(k)
    return found.values, candidates.gather(1, found.indices)


def _by_score(hypothesis: ScoredHypothesis) -> float:
    return -hypothesis.score
