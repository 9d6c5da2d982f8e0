"""Switching heads off: as if their output were zero, and the weights are restored to the bit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
import torch

from core.answers.head_ablation import HeadId
from core.data.special_tokens import BOS_ID, EOS_ID
from core.decoding.greedy import greedy_decode
from core.decoding.incremental_decoder import FIRST_OUTPUT_ID
from core.errors import UserError
from core.model.evaluation import evaluating
from core.model.heads_off import heads_off
from core.model.transformer import Transformer
from core.model.weights import named_weights
from tests.core.model.builders import VARIANTS, small_inputs, small_model, variant_name

HEADS = (HeadId("encoder_self", 1, 0), HeadId("decoder_self", 0, 3), HeadId("cross", 2, 1))
every_variant = pytest.mark.parametrize("variant", VARIANTS[:4], ids=variant_name)


@contextmanager
def reading_nothing(model: Transformer) -> Iterator[None]:
    """The same with hooks: the output of the three heads is zero before the output projection mixes it."""
    encoder, decoder = [*model.encoder], [*model.decoder]
    attentions = (encoder[1].self_attention, decoder[0].self_attention, decoder[2].cross_attention)

    def without(head: int) -> Any:
        return lambda _, inputs: (inputs[0].unflatten(-1, (4, 4)).index_fill(-2, torch.tensor(head), 0.0).flatten(-2),)

    with ExitStack() as hooks:
        for attention, head in zip(attentions, HEADS, strict=True):
            hooks.callback(attention.output.register_forward_pre_hook(without(head.head)).remove)
        yield


@every_variant
def test_switched_off_heads_equal_heads_with_zero_output(variant: dict[str, Any]) -> None:
    model, inputs = small_model(**variant), small_inputs()
    with evaluating(model):
        complete = model(*inputs)
        with reading_nothing(model):
            direct = model(*inputs)
        with heads_off(model, HEADS):
            switched = model(*inputs)
    torch.testing.assert_close(switched, direct, rtol=0, atol=1e-5)
    assert (switched - complete).abs().max() > 1e-3


def test_heads_are_off_in_free_running_decoding() -> None:
    model, (src, _, src_mask, _) = small_model(), small_inputs()
    with heads_off(model, HEADS):
        outputs = [output.produced for output in greedy_decode(model, src, src_mask, max_length=6)]
    for row, output in enumerate(outputs):
        read = [BOS_ID]
        with evaluating(model), reading_nothing(model):
            while len(read) <= 6 and read[-1] != EOS_ID:
                tgt_input = torch.tensor([read])
                logits = model(src[row, None], tgt_input, src_mask[row, None], torch.ones_like(tgt_input).bool())
                read.append(FIRST_OUTPUT_ID + int(logits[0, -1, FIRST_OUTPUT_ID:].argmax()))
        assert read[1:] == output


@pytest.mark.parametrize("heads", [HEADS, HEADS * 2, ()])
def test_the_weights_are_restored_even_after_an_error(heads: tuple[HeadId, ...]) -> None:
    model = small_model()
    before = {name: tensor.clone() for name, tensor in named_weights(model).items()}
    with pytest.raises(ZeroDivisionError), heads_off(model, heads):
        raise ZeroDivisionError
    for name, tensor in named_weights(model).items():
        assert torch.equal(tensor.view(torch.int32), before[name].view(torch.int32)), name


def test_a_missing_head_is_refused_before_anything_changes() -> None:
    model = small_model()
    weight = next(iter(model.encoder)).self_attention.output.weight
    before = weight.clone()
    for missing in (HeadId("cross", 3, 0), HeadId("encoder_self", 0, 4), HeadId("cross", -1, 0)):
        with pytest.raises(UserError, match="has no"), heads_off(model, [HeadId("encoder_self", 0, 0), missing]):
            pass
    assert torch.equal(weight, before)
