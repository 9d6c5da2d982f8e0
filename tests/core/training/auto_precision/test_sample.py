"""The sample that is measured in place of a step: the whole step, or a reduced one that takes little time."""

from __future__ import annotations

from dataclasses import replace

from core.config import ModelConfig
from core.data.special_tokens import SPECIAL_TOKENS
from core.training.auto_precision.sample import MAX_WORK, Sample

PAPER = Sample(
    model=ModelConfig(d_model=512, num_heads=8, d_ff=2048, num_encoder_layers=6, num_decoder_layers=6),
    src_vocab_size=37_000,
    tgt_vocab_size=37_000,
    sentences=1000,
    src_length=25,
    tgt_length=25,
)


def test_a_reduced_sample_keeps_the_widths_and_limits_the_work() -> None:
    part = PAPER.reduced()
    assert (part.model.d_model, part.model.d_ff, part.model.num_heads) == (512, 2048, 8)
    assert 0.8 * MAX_WORK < part.work <= MAX_WORK
    assert part.is_part


def test_work_grows_linearly_with_sentences_and_faster_with_their_length() -> None:
    few = replace(PAPER, sentences=10)
    assert PAPER.work == 100 * few.work
    lengths = [replace(PAPER, src_length=length, tgt_length=length) for length in (100, 200)]
    assert 2 < lengths[1].work / lengths[0].work < 4


def test_a_batch_has_no_padding_or_special_tokens() -> None:
    batch = PAPER.reduced().batch()
    assert batch.src.shape[0] == batch.tgt_input.shape[0] >= 1
    assert batch.src.min() >= len(SPECIAL_TOKENS)
    assert batch.num_target_tokens == batch.tgt_output.numel()
    assert batch.src_mask.all() and batch.tgt_mask.all()
