"""Greedy decoding of a batch: at each step the most probable token, over cached keys and values."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID
from core.decoding.decoded import Decoded
from core.model.evaluation import evaluating
from core.model.transformer import Transformer

# Finished sentences leave the batch once they are this part of it: leaving copies the cache, staying wastes steps.
_LEAVE_AT = 0.25
_NEVER = [PAD_ID, BOS_ID]  # these cannot be produced


def greedy_decode(
    model: Transformer, src: Tensor, src_mask: Tensor, *, max_length: int, num_alternatives: int = 0
) -> Decoded:
    """Decode sources [B, S] until each has produced `<eos>` or max_length tokens, `<eos>` counted.

    With num_alternatives > 0 the result holds the probability of each step's token and the so many most probable ones.
    It returns when the whole batch is done: who must answer others meanwhile passes small batches.
    Raises UserError when the sources or max_length exceed the model's positions.
    """
    with evaluating(model):
        cache = model.start_decoding(model.encode(src, src_mask), src_mask, max_length)
        num_choices = model.output.out_features - len(_NEVER)
        steps = _Steps(src.shape[0], max_length, min(num_alternatives, num_choices), src.device)
        rows = torch.arange(src.shape[0], device=src.device)
        running = torch.ones_like(rows, dtype=torch.bool)
        tokens = torch.full_like(rows, BOS_ID)
        for step in range(max_length):
            logits = model.project(model.decode_next(tokens, cache)).float()
            logits[:, _NEVER] = -torch.inf
            tokens = logits.argmax(-1)
            steps.keep(step, rows, tokens, logits)
            running &= tokens != EOS_ID
            num_running = int(running.sum())
            if num_running == 0:
                break
            if num_running <= (1.0 - _LEAVE_AT) * len(rows):
                left = running.nonzero()[:, 0]
                cache.reorder(left)
                rows, tokens, running = rows[left], tokens[left], running[left]
        return steps.decoded()


class _Steps:
    """What each step chose for each sentence, on the model's device; a row means nothing after its `<eos>`."""

    def __init__(self, num_sentences: int, max_length: int, num_alternatives: int, device: torch.device) -> None:
        shape = (num_sentences, max_length)
        self.tokens = torch.full(shape, PAD_ID, device=device)
        self.probabilities = torch.zeros(num_sentences, max_length if num_alternatives > 0 else 0, device=device)
        self.alternative_ids = torch.zeros(*shape, num_alternatives, dtype=torch.int64, device=device)
        self.alternative_probabilities = torch.zeros(*shape, num_alternatives, device=device)

    def keep(self, step: int, rows: Tensor, tokens: Tensor, logits: Tensor) -> None:
        """Note what the sentences `rows` [N] chose, from logits [N, V]."""
        self.tokens[rows, step] = tokens
        num_alternatives = self.alternative_ids.shape[-1]
        if num_alternatives > 0:
            probabilities = logits.softmax(-1)
            best = probabilities.topk(num_alternatives)
            self.probabilities[rows, step] = probabilities.gather(-1, tokens[:, None])[:, 0]
            self.alternative_ids[rows, step] = best.indices
            self.alternative_probabilities[rows, step] = best.values

    def decoded(self) -> Decoded:
        """All of it, each sentence cut at its `<eos>`."""
        ids = self.tokens.cpu().numpy()
        ended = ids == EOS_ID
        finished = ended.any(axis=1)
        lengths = np.where(finished, ended.argmax(axis=1), ids.shape[1])  # without <eos>
        num_steps = (lengths + finished).tolist()
        return Decoded(
            tokens=[row[:length].tolist() for row, length in zip(ids, lengths, strict=True)],
            finished=finished.tolist(),
            probabilities=_cut(self.probabilities, num_steps),
            alternative_ids=_cut(self.alternative_ids, num_steps),
            alternative_probabilities=_cut(self.alternative_probabilities, num_steps),
        )


def _cut(values: Tensor, lengths: list[int]) -> list[NDArray[Any]]:
    return [row[:length] for row, length in zip(values.cpu().numpy(), lengths, strict=True)]
