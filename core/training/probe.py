"""The probe of a step: which sentences a run follows, and what the model makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from core.data.prepared_data import PreparedData
from core.decoding.probed_sentences import SentenceToProbe, probe_sentences
from core.model.transformer import Transformer
from core.plugin import Pair
from core.probes import Probe

MAX_LENGTH = 1_000
"""Tokens of the longest output of a probe, and of its pairs if the data have shorter ones: attention takes memory with
the square of them. An untrained model writes as many as it may: as many as a line that lacks its line breaks has."""
_NUM_SENTENCES = 4


def first_sentences(data: PreparedData) -> list[SentenceToProbe]:
    """The first pairs of the valid split, at most four different ones; none if there are no pairs."""
    num_pairs = (data.num_pairs["valid"] or 0) if data.folder is not None else 0
    first = range(min(num_pairs, 100))
    chosen = [index for index in first if _longest_side(data, index) <= MAX_LENGTH] or first
    different = {pair.source: pair for pair in (data.pair("valid", index) for index in chosen)}
    return [_to_probe(pair, with_alignment=data.alignments_fit) for pair in islice(different.values(), _NUM_SENTENCES)]


def _longest_side(data: PreparedData, index: int) -> int:
    """Tokens of the longer side of a pair of the valid split, `<eos>` counted."""
    pairs = data.split("valid")
    return int(max(pairs.src.lengths[index], pairs.tgt_lengths[index]))


def _to_probe(pair: Pair, *, with_alignment: bool) -> SentenceToProbe:
    links = (pair.alignment or ()) if with_alignment else ()
    return SentenceToProbe(pair.source, pair.target, tuple((src, tgt) for src, tgt in links))


def make_probe(
    model: Transformer, data: PreparedData, sentences: Sequence[SentenceToProbe], max_length: int, step: int
) -> Probe:
    """Probe a model that has the weights of `step`: the run's own, or one loaded from a snapshot."""
    return Probe(step=step, sentences=probe_sentences(model, data, sentences, min(max_length, MAX_LENGTH)))
