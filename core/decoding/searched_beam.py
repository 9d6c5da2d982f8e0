"""A beam search that records every hypothesis that had a place, with greedy decoding for comparison."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor

from core.answers.beam_tree import BeamNode, BeamOutput, BeamTree, Fate
from core.data.prepared_data import PreparedData
from core.data.special_tokens import EOS_ID
from core.decoding.beam import BeamSearch, Watch, beam_decode
from core.decoding.hypothesis import ScoredHypothesis
from core.decoding.probed_sentences import pad_ids
from core.decoding.typed_text import encode_text, prefix_ids
from core.model.transformer import Transformer
from core.requests import SearchBeam


def search_beam(model: Transformer, data: PreparedData, request: SearchBeam, *, max_length: int, step: int) -> BeamTree:
    """Search as requested. `step` is that of the weights, and only recorded. Draws no random number.

    Raises UserError for a text that `encode_text` refuses, and for a prefix that has tokens of another vocabulary.
    """
    src, src_mask = pad_ids([encode_text(model, data, request.source)[0]], next(model.parameters()).device)
    watcher, forced = _Watcher(request.beam_size), prefix_ids(data, request.prefix)

    def decode(beam_size: int, watch: Watch | None) -> list[ScoredHypothesis]:
        search = BeamSearch(
            beam_size=beam_size,
            length_penalty=request.length_penalty,
            max_length=max_length,
            num_best=beam_size,
            prefix=forced,
        )
        return beam_decode(model, src, src_mask, search, watch)[0]

    found, (greedy,) = decode(request.beam_size, watcher), decode(1, None)
    return BeamTree(
        step=step,
        source=request.source,
        beam_size=request.beam_size,
        length_penalty=request.length_penalty,
        nodes=tuple(watcher.nodes(data.tgt_vocabulary.tokens)),
        outputs=tuple(_output(one, data) for one in found),
        greedy=_output(greedy, data),
    )


@dataclass(frozen=True)
class _Taken:
    """A place taken by a hypothesis."""

    parent: int
    position: int
    rank: int
    id: int
    log_probability: float


class _Watcher:
    """Records which hypotheses take the places of a single sentence's beam."""

    def __init__(self, beam_size: int) -> None:
        self._taken: list[_Taken] = []
        # Place in the beam -> its hypothesis among `_taken`. All places begin as one hypothesis, -1.
        self._in_place: dict[int, int] = dict.fromkeys(range(beam_size), -1)
        self._position = 0

    def __call__(self, parents: Tensor, newest: Tensor, log_probabilities: Tensor) -> None:
        """Record the places after one step, each [1, K]; -inf where one is empty."""
        in_place: dict[int, int] = {}
        rows = zip(parents[0].tolist(), newest[0].tolist(), log_probabilities[0].tolist(), strict=True)
        for rank, (parent, id, total) in enumerate(rows):
            if total != -math.inf:
                in_place[rank] = len(self._taken)
                self._taken.append(_Taken(self._in_place[parent], self._position, rank, id, total))
        self._in_place = in_place
        self._position += 1

    def nodes(self, tokens: tuple[str, ...]) -> Iterator[BeamNode]:
        """The recorded hypotheses, each with its fate."""
        went_on = {one.parent for one in self._taken}
        for index, one in enumerate(self._taken):
            before = self._taken[one.parent].log_probability if one.parent >= 0 else 0.0
            yield BeamNode(
                parent=one.parent,
                position=one.position,
                rank=one.rank,
                token=tokens[one.id],
                probability=math.exp(one.log_probability - before),
                log_probability=one.log_probability,
                fate=self._fate(one, went_on=index in went_on),
            )

    def _fate(self, one: _Taken, *, went_on: bool) -> Fate:
        if one.id == EOS_ID:
            return "finished"
        if went_on:
            return "went on"
        return "too long" if one.position == self._position - 1 else "cut"


def _output(found: ScoredHypothesis, data: PreparedData) -> BeamOutput:
    return BeamOutput(
        output=data.decode_target(found.tokens),
        tokens=tuple(data.tgt_vocabulary.tokens_of(found.produced)),
        score=found.score,
    )
