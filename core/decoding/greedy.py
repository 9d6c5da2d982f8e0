"""Greedy decoding of a batch: at each step the most probable token."""

from collections.abc import Sequence

import torch
from torch import Tensor

from core.data.special_tokens import BOS_ID, EOS_ID
from core.decoding.hypothesis import Hypothesis, until_eos
from core.decoding.incremental_decoder import FIRST_OUTPUT_ID, IncrementalDecoder
from core.model.evaluation import evaluating
from core.model.transformer import Transformer

# Finished sentences leave the batch once they are this fraction of it: leaving copies the cache, staying wastes steps.
COMPACT_AT = 0.25


def greedy_decode(
    model: Transformer, src: Tensor, src_mask: Tensor, *, max_length: int, prefix: Sequence[int] = ()
) -> list[Hypothesis]:
    """Decode sources [B, S] until each has produced `<eos>` or max_length tokens, `<eos>` included.

    Each output begins with the ids of `prefix`, however improbable.
    Returns when the whole batch is done: a caller that must answer others meanwhile passes small batches.
    Raises UserError when the sources or max_length exceed the model's positions.
    """
    with evaluating(model):
        decoder = IncrementalDecoder(model, src, src_mask, max_length=max_length)
        newest = torch.full((len(src),), BOS_ID, device=src.device)
        sentences, running = list(range(len(src))), [True] * len(src)
        chosen: list[list[int]] = [[] for _ in sentences]
        for position in range(max_length):
            newest = decoder.step(newest).max(-1).indices + FIRST_OUTPUT_ID  # argmax takes twice as long
            if position < len(prefix):
                newest.fill_(prefix[position])
            ids = newest.tolist()
            for sentence, id in zip(sentences, ids, strict=True):
                chosen[sentence].append(id)
            running = [was and id != EOS_ID for was, id in zip(running, ids, strict=True)]
            if not any(running):
                break
            if sum(running) <= (1.0 - COMPACT_AT) * len(running):
                left = [row for row, still in enumerate(running) if still]
                rows = torch.tensor(left, device=src.device)
                decoder.keep(rows)
                newest, sentences, running = newest[rows], [sentences[row] for row in left], [True] * len(left)
        return [until_eos(ids) for ids in chosen]
