"""What is timed in place of a run's step: the step itself, or a part of it that takes only a moment."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch

from core.config import ModelConfig, RunConfig
from core.data.batch import Batch
from core.data.prepared_data import PreparedData
from core.data.special_tokens import SPECIAL_TOKENS
from core.model_size import parameter_breakdown
from core.torchrun import local_sentences

MAX_WORK = 1e9
"""Multiplications in a forward pass: such a step takes 30 to 70 ms in float32 (one thread), and is run a dozen times.
"""
# Of one vocabulary. Casting more at each step would outweigh so few tokens: with 8,000 x 256 and 112 tokens bfloat16
# looked no faster than float32, although with 2,048 tokens it is twice as fast.
_MAX_EMBEDDING_WEIGHTS = 2**19
_MAX_LENGTH = 256  # tokens of a sentence, in a part


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A model, and a batch for it without padding."""

    model: ModelConfig
    src_vocab_size: int
    tgt_vocab_size: int
    sentences: int
    src_length: int
    tgt_length: int
    is_part: bool = False

    @property
    def work(self) -> float:
        """Multiplications in a forward pass."""
        return self.sentences * self._work_of_a_sentence()

    def _work_of_a_sentence(self) -> float:
        model, src, tgt = self.model, self.src_length, self.tgt_length
        parts = parameter_breakdown(model, self.src_vocab_size, self.tgt_vocab_size, max(src, tgt))
        products = parts["encoder"] * src + (parts["decoder"] + model.d_model * self.tgt_vocab_size) * tgt
        scores = model.num_encoder_layers * src * src + model.num_decoder_layers * tgt * (src + tgt)
        return products + 2 * model.d_model * scores

    def reduced(self) -> Sample:
        """One layer of each stack, with as many sentences and vocabulary entries as can be timed quickly."""
        max_tokens = max(len(SPECIAL_TOKENS) + 1, _MAX_EMBEDDING_WEIGHTS // self.model.d_model)
        part = replace(
            self,
            model=self.model.model_copy(update={"num_encoder_layers": 1, "num_decoder_layers": 1}),
            src_vocab_size=min(self.src_vocab_size, max_tokens),
            tgt_vocab_size=min(self.tgt_vocab_size, max_tokens),
            src_length=min(self.src_length, _MAX_LENGTH),
            tgt_length=min(self.tgt_length, _MAX_LENGTH),
            is_part=True,
        )
        sentences = int(MAX_WORK / part._work_of_a_sentence())
        return replace(part, sentences=min(self.sentences, max(1, sentences)))

    def batch(self) -> Batch:
        """Random ids, drawn from torch's generator."""
        first, rows = len(SPECIAL_TOKENS), self.sentences
        src = torch.randint(first, self.src_vocab_size, (rows, self.src_length))
        tgt = torch.randint(first, self.tgt_vocab_size, (rows, self.tgt_length))
        return Batch(
            src=src,
            src_mask=torch.ones_like(src, dtype=torch.bool),
            tgt_input=tgt,
            tgt_output=tgt,
            tgt_mask=torch.ones_like(tgt, dtype=torch.bool),
            num_target_tokens=tgt.numel(),
        )


def make_sample(config: RunConfig, data: PreparedData) -> Sample:
    """This process's share of a step with sentences of mean length, or a part of it where that takes long."""
    pairs, training = data.split("valid"), config.training
    src_length, tgt_length = (math.ceil(lengths.mean()) for lengths in (pairs.src.lengths, pairs.tgt_lengths))
    sentences = training.batch_size or (training.batch_tokens or 0) // tgt_length
    full_step = Sample(
        model=config.model,
        src_vocab_size=len(data.src_vocabulary),
        tgt_vocab_size=len(data.tgt_vocabulary),
        sentences=local_sentences(sentences),
        src_length=src_length,
        tgt_length=tgt_length,
    )
    return full_step if full_step.work <= MAX_WORK else full_step.reduced()
