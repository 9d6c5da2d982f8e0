"""A beam search that records every hypothesis that had a place, with greedy decoding for comparison."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor

from core.answers.beam_tree import BeamNode, BeamOutput, BeamTree, Fate
from core.data.prepared_data import PreparedData
from core.data.special_tokens import EOS_ID
from core.decoding.beam import BeamSearchSettings, OnStep, beam_decode
from core.decoding.hypothesis import ScoredHypothesis
from core.decoding.probed_sentences import pad_ids
from core.decoding.typed_text import encode_text, prefix_ids
from core.model.transformer import Transformer
from core.requests import SearchBeam


def search_beam(model: Transformer, data: PreparedData, request: SearchBeam, *, max_length: int, step: int) -> BeamTree:
    """Search as requested. `step` is that of the weights, and only recorded. Draws no random number.

    Raises UserError for a text that `encode_text` refuses, and for a prefix that has tokens of another vocabulary.
    """
    src, src_mask = pad_ids([encode_text(model, data, request.source)[0]], model.device)
    recorder, forced = _BeamRecorder(request.beam_size), prefix_ids(data, request.prefix)

    def decode(beam_size: int, on_step: OnStep | None) -> list[ScoredHypothesis]:
        search = BeamSearchSettings(
            beam_size=beam_size,
            length_penalty=request.length_penalty,
            max_length=max_length,
            num_best=beam_size,
            prefix=forced,
        )
        return beam_decode(model, src, src_mask, search, on_step)[0]

    found, (greedy,) = decode(request.beam_size, recorder), decode(1, None)
    return BeamTree(
        step=step,
        source=request.source,
        beam_size=request.beam_size,
        length_penalty=request.length_penalty,
        nodes=tuple(recorder.nodes(data.tgt_vocabulary.tokens)),
        outputs=tuple(_output(entry, data) for entry in found),
        greedy=_output(greedy, data),
    )


@dataclass(frozen=True)
class _Entry:
    """A place taken by a hypothesis."""

    parent: int
    position: int
    rank: int
    id: int
    log_probability: float


class _BeamRecorder:
    """Records which hypotheses take the places of a single sentence's beam."""

    def __init__(self, beam_size: int) -> None:
        self._entries: list[_Entry] = []
        # Place in the beam -> its hypothesis among `_entries`. All places begin as one hypothesis, -1.
        self._current: dict[int, int] = dict.fromkeys(range(beam_size), -1)
        self._position = 0

    def __call__(self, parents: Tensor, newest: Tensor, log_probabilities: Tensor) -> None:
        """Record the places after one step, each [1, K]; -inf where one is empty."""
        current: dict[int, int] = {}
        rows = zip(parents[0].tolist(), newest[0].tolist(), log_probabilities[0].tolist(), strict=True)
        for rank, (parent, id, total) in enumerate(rows):
            if total != -math.inf:
                current[rank] = len(self._entries)
                self._entries.append(_Entry(self._current[parent], self._position, rank, id, total))
        self._current = current
        self._position += 1

    def nodes(self, tokens: tuple[str, ...]) -> Iterator[BeamNode]:
        """The recorded hypotheses, each with its fate."""
        parents = {entry.parent for entry in self._entries}
        for index, entry in enumerate(self._entries):
            before = self._entries[entry.parent].log_probability if entry.parent >= 0 else 0.0
            yield BeamNode(
                parent=entry.parent,
                position=entry.position,
                rank=entry.rank,
                token=tokens[entry.id],
                probability=math.exp(entry.log_probability - before),
                log_probability=entry.log_probability,
                fate=self._fate(entry, is_continued=index in parents),
            )

    def _fate(self, entry: _Entry, *, is_continued: bool) -> Fate:
        if entry.id == EOS_ID:
            return "finished"
        if is_continued:
            return "went on"
        return "too long" if entry.position == self._position - 1 else "cut"


def _output(found: ScoredHypothesis, data: PreparedData) -> BeamOutput:
    return BeamOutput(
        output=data.decode_target(found.tokens),
        tokens=tuple(data.tgt_vocabulary.tokens_of(found.produced)),
        score=found.score,
    )
