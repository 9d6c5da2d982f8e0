"""Recorded attention equals the transcription's, is a distribution, zero where masked, and affects no output."""

from typing import Any

import numpy as np
import pytest
import torch

from core.model.recording import AttentionRecord, record_attention
from core.model.weights import named_weights
from tests.core.model.builders import (
    SRC_SENTENCES,
    TGT_SENTENCES,
    VARIANTS,
    Inputs,
    small_config,
    small_inputs,
    small_model,
    variant_name,
)
from tests.core.model.transcription import Paper

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)


def recorded(inputs: Inputs, **changes: Any) -> AttentionRecord:
    model = small_model(**changes)
    with record_attention(model) as record:
        model(*inputs)
    return record


@every_variant
def test_recorded_attention_equals_the_transcriptions(variant: dict[str, Any]) -> None:
    record = recorded(small_inputs(), dtype=torch.float64, **variant)
    numbers = {
        name: tensor.numpy() for name, tensor in named_weights(small_model(dtype=torch.float64, **variant)).items()
    }
    for row, (src, tgt_input) in enumerate(zip(SRC_SENTENCES, TGT_SENTENCES, strict=True)):
        paper = Paper(small_config(**variant), numbers)
        paper.logits(src, tgt_input)
        s, t = len(src), len(tgt_input)
        for kind, own in (
            ("encoder_self", record.encoder_self[:, row, :, :s, :s]),
            ("decoder_self", record.decoder_self[:, row, :, :t, :t]),
            ("cross", record.cross[:, row, :, :t, :s]),
        ):
            np.testing.assert_allclose(own.numpy(), np.stack(paper.attention[kind]), rtol=0, atol=1e-9)


@every_variant
def test_recording_changes_no_output(variant: dict[str, Any]) -> None:
    model = small_model(**variant).requires_grad_(False)
    fast = model(*small_inputs())
    with record_attention(model):
        slow = model(*small_inputs())
    torch.testing.assert_close(slow, fast, rtol=0, atol=1e-6 * float(fast.abs().max().clamp(min=1.0)))


def test_each_tokens_row_is_a_distribution_over_the_positions_it_may_see() -> None:
    inputs = small_inputs()
    record = recorded(inputs)
    assert record.encoder_self.shape == (2, 3, 4, 6, 6)
    assert record.decoder_self.shape == (3, 3, 4, 5, 5)
    assert record.cross.shape == (3, 3, 4, 5, 6)
    for attention in (record.encoder_self, record.decoder_self, record.cross):
        torch.testing.assert_close(attention.sum(-1), torch.ones(attention.shape[:-1]), rtol=0, atol=1e-6)
    src_pads, tgt_pads = ~inputs.src_mask[:, None, None, :], ~inputs.tgt_mask[:, None, None, :]
    later = torch.ones(5, 5, dtype=torch.bool).triu(1)
    for attention, hidden in ((record.encoder_self, src_pads), (record.decoder_self, tgt_pads | later)):
        assert (attention.masked_select(hidden) == 0).all()
        assert (attention.masked_select(~hidden) > 0).all()
    assert (record.cross.masked_select(src_pads) == 0).all()


def test_a_sentence_of_padding_attends_to_nothing() -> None:
    inputs = small_inputs()
    inputs.src_mask[1] = False
    record = recorded(inputs)
    assert (record.cross[:, 1] == 0).all()
    assert (record.encoder_self[:, 1] == 0).all()


def test_nothing_is_recorded_outside_the_block() -> None:
    model = small_model()
    with record_attention(model) as record:
        model(*small_inputs())
    before = record.cross
    inputs = small_inputs()
    model(*inputs._replace(src=inputs.src.flip(0)))
    assert torch.equal(record.cross, before)
    assert not record.cross.requires_grad
