"""Decoding by a run's settings: greedy, or with a beam."""

from __future__ import annotations

from torch import Tensor

from core.config import DecodingConfig
from core.data.prepared_data import PreparedData
from core.decoding.beam import BeamSearchSettings, beam_decode
from core.decoding.greedy import greedy_decode
from core.decoding.hypothesis import Hypothesis, ScoredHypothesis
from core.decoding.minimum_risk import lowest_risk
from core.errors import UserError
from core.model.transformer import Transformer


def decode(
    model: Transformer,
    src: Tensor,
    src_mask: Tensor,
    decoding: DecodingConfig,
    max_length: int,
    prefix: tuple[int, ...] = (),
    *,
    minimum_risk: bool = False,
) -> list[Hypothesis]:
    """The output of each source [B, S], which begins with `prefix`: at most max_length tokens, `<eos>` included.

    It is the one with the best score, or with `minimum_risk` the one that `lowest_risk` picks from the whole beam.
    """
    if decoding.beam_size == 1:
        return greedy_decode(model, src, src_mask, max_length=max_length, prefix=prefix)
    if minimum_risk:
        beams = decode_n_best(model, src, src_mask, decoding, max_length, prefix)
        return [*lowest_risk(beams, decoding.length_penalty)]
    search = _search(decoding, max_length, num_best=1, prefix=prefix)
    return [best for best, *_ in beam_decode(model, src, src_mask, search)]


def decode_n_best(
    model: Transformer,
    src: Tensor,
    src_mask: Tensor,
    decoding: DecodingConfig,
    max_length: int,
    prefix: tuple[int, ...] = (),
) -> list[list[ScoredHypothesis]]:
    """The final beam of each source, best first, with scores; with a beam of one, the one output."""
    search = _search(decoding, max_length, num_best=decoding.beam_size, prefix=prefix)
    return beam_decode(model, src, src_mask, search)


def longest_output(decoding: DecodingConfig, data: PreparedData) -> int:
    """The most tokens that decoding produces, `<eos>` included; `auto` is the data's longest target."""
    return data.max_tgt_length if decoding.max_length == "auto" else decoding.max_length


def require_positions_for_output(decoding: DecodingConfig, data: PreparedData, model: Transformer) -> None:
    """Raise UserError if this model has fewer positions than its longest output."""
    if (longest := longest_output(decoding, data)) > model.max_positions:
        raise UserError(
            f"decoding.max_length: expected at most the {model.max_positions:,} positions of this run's model, "
            f"given {longest:,}.",
            "Train a new run with it.",
        )


def _search(decoding: DecodingConfig, max_length: int, *, num_best: int, prefix: tuple[int, ...]) -> BeamSearchSettings:
    return BeamSearchSettings(
        beam_size=decoding.beam_size,
        length_penalty=decoding.length_penalty,
        max_length=max_length,
        num_best=num_best,
        prefix=prefix,
    )
