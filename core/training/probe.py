"""The probe of a step: which sentences a run follows, and what the model makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from core.data.prepared_data import PreparedData
from core.decoding.probed_sentences import SentenceToProbe, probe_sentences
from core.model.transformer import Transformer
from core.plugin import Pair
from core.probes import Probe

MAX_OUTPUT = 1_000
"""Tokens of the longest output that a probe has: its attention takes memory with the square of them, and an untrained
model writes as many as it may. If one line of a corpus lacks its line breaks, that is as many as the line has."""
_NUM_SENTENCES = 4


def first_sentences(data: PreparedData) -> list[SentenceToProbe]:
    """The first pairs of the valid split, at most four different ones; none if there are no pairs."""
    num_pairs = (data.num_pairs["valid"] or 0) if data.folder is not None else 0
    pairs = (data.pair("valid", index) for index in range(min(num_pairs, 100)))
    different = {pair.source: pair for pair in pairs}
    return [_to_probe(pair, with_alignment=data.alignments_fit) for pair in islice(different.values(), _NUM_SENTENCES)]


def _to_probe(pair: Pair, *, with_alignment: bool) -> SentenceToProbe:
    links = (pair.alignment or ()) if with_alignment else ()
    return SentenceToProbe(pair.source, pair.target, tuple((src, tgt) for src, tgt in links))


def make_probe(
    model: Transformer, data: PreparedData, sentences: Sequence[SentenceToProbe], max_length: int, step: int
) -> Probe:
    """Probe a model that has the weights of `step`: the run's own, or one loaded from a snapshot."""
    return Probe(step=step, sentences=probe_sentences(model, data, sentences, min(max_length, MAX_OUTPUT)))
