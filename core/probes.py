"""The record of what the model did with a few sentences at one step, from which every picture of it is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Attention = NDArray[np.float16]
Links = tuple[tuple[int, int], ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Feed:
    """The decoder's side of one sentence, fed by the reference (teacher-forced) or by its own output (free-running).

    T is the number of decoder positions, K the number of alternatives kept, S the source length, L layers, H heads.
    Row t of every array answers "after `tgt_input[t]`, what comes next?".
    """

    tgt_input: tuple[str, ...]  # T tokens read, beginning with <bos>
    tgt_output: tuple[str, ...]  # T tokens expected (fed by the reference) or chosen (free-running), <eos> included
    output_probability: NDArray[np.float32]  # [T] probability of tgt_output
    output_rank: NDArray[np.int32]  # [T] 0 if tgt_output is the most probable token
    top_tokens: tuple[tuple[str, ...], ...]  # T rows of K tokens, most probable first
    top_probability: NDArray[np.float32]  # [T, K]
    decoder_self: Attention  # [L, H, T, T]
    cross: Attention  # [L, H, T, S]

    @property
    def predicted(self) -> tuple[str, ...]:
        """The most probable token after each position."""
        return tuple(row[0] for row in self.top_tokens)


@dataclass(frozen=True, kw_only=True, eq=False)
class ProbedSentence:
    """One sentence as the model saw it: its tokens, both ways to feed the decoder, and the encoder's attention."""

    source: str
    src_tokens: tuple[str, ...]  # S tokens as the encoder reads them, <eos> and <unk> included
    reference: str | None  # None for a sentence somebody typed
    output: str  # the free-running output, joined as the tokenizer joins
    alignment: Links  # gold (src_index, tgt_index); empty if there is none for these tokens
    encoder_self: Attention  # [L, H, S, S]
    by_reference: Feed | None  # None without a reference
    free_running: Feed


@dataclass(frozen=True, kw_only=True, eq=False)
class Probe:
    """The probe of one step: the followed sentences, each with everything the window draws of it."""

    step: int
    sentences: tuple[ProbedSentence, ...]


def links_within(links: Iterable[Sequence[int]], src: Sized, tgt: Sized) -> Links:
    """The links (src_index, tgt_index) between a token of `src` and one of `tgt`, not counting the `<eos>` at their
    ends.

    A plugin may wrongly count from 1, and the probes of older runs hold such links unchecked.
    """
    return tuple((at, to) for at, to in links if 0 <= at < len(src) - 1 and 0 <= to < len(tgt) - 1)
