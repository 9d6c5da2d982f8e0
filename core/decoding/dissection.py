"""Takes one attention head apart, and the masks of one target: the model's own numbers, for a person to read."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.answers.anatomy import MAX_PADDING, DotProduct, Masks
from core.data.prepared_data import PreparedData
from core.data.special_tokens import BOS_ID, PAD_ID
from core.decoding.greedy import greedy_decode
from core.decoding.probed_sentences import pad_ids, target_ids
from core.decoding.typed_text import encode_text
from core.errors import UserError
from core.model.attention import CrossAttention, KeysValues, SelfAttention, attention_weights
from core.model.evaluation import evaluating
from core.model.masks import causal_mask, padding_mask, target_mask
from core.model.transformer import Transformer
from core.requests import DissectHead


def dissect_head(
    model: Transformer, data: PreparedData, request: DissectHead, *, max_length: int, step: int
) -> DotProduct:
    """One head's arithmetic. The decoder reads the reference, or its own output where there is none.

    Layer and head count from 0; one that the model lacks wraps around, so that -1 is the last. `step` is that of the
    weights, and only recorded. Draws no random number.
    Raises UserError for a text that `encode_text` refuses, and for a reference longer than the model's positions.
    """
    device = model.device
    source_ids = encode_text(model, data, request.source)[0]
    src, src_mask = pad_ids([source_ids], device)
    if request.reference is None:
        output_ids = greedy_decode(model, src, src_mask, max_length=max_length)[0].produced
    else:
        output_ids = target_ids(data, request.reference)
    tgt_input = [BOS_ID, *output_ids[:-1]]
    src_tokens = tuple(data.src_vocabulary.tokens_of(source_ids))
    tgt_tokens = tuple(data.tgt_vocabulary.tokens_of(tgt_input))
    attentions = model.attentions(request.kind)
    layer = request.layer % len(attentions)
    attention = attentions[layer]
    head = request.head % attention.num_heads
    with evaluating(model):
        inputs = _captured_inputs(attention, model, src, src_mask, torch.tensor([tgt_input], device=device))
        numbers = _compute_numbers(attention, inputs, head)
    return DotProduct(
        step=step,
        seconds=0.0,  # filled in by the caller
        kind=request.kind,
        layer=layer,
        head=head,
        query_tokens=src_tokens if request.kind == "encoder_self" else tgt_tokens,
        key_tokens=tgt_tokens if request.kind == "decoder_self" else src_tokens,
        **numbers,
    )


def make_masks(model: Transformer, data: PreparedData, target: str, num_padding: int) -> Masks:
    """Which positions each position of a target may attend to, with `num_padding` `<pad>` after it.

    Raises UserError for a target that is longer than the model's positions, and for more padding than MAX_PADDING.
    """
    if not 0 <= num_padding <= MAX_PADDING:
        raise UserError(f"Padding: expected 0 to {MAX_PADDING} <pad> after the target, given {num_padding:,}.")
    ids = [BOS_ID, *target_ids(data, target)[:-1]]
    model.require_positions(len(ids), "tgt")
    ids += [PAD_ID] * num_padding
    mask = torch.tensor([[id != PAD_ID for id in ids]])
    length = len(ids)
    return Masks(
        tokens=tuple(data.tgt_vocabulary.tokens_of(ids)),
        padding=padding_mask(mask)[0, 0].expand(length, length).numpy(),
        causal=causal_mask(length, mask.device).numpy(),
        both=target_mask(mask)[0, 0].numpy(),
    )


def _captured_inputs(
    attention: SelfAttention | CrossAttention, model: Transformer, src: Tensor, src_mask: Tensor, tgt_input: Tensor
) -> tuple[Any, ...]:
    """The arguments of this attention as the model reads one sentence."""
    captured: list[tuple[Any, ...]] = []
    hook = attention.register_forward_pre_hook(lambda _, inputs: captured.append(inputs))
    try:
        model.decode(tgt_input, model.encode(src, src_mask), src_mask, torch.ones_like(tgt_input, dtype=torch.bool))
    finally:
        hook.remove()
    return captured[0]


def _compute_numbers(
    attention: SelfAttention | CrossAttention, inputs: tuple[Any, ...], head: int
) -> dict[str, NDArray[Any]]:
    """The numeric fields of a DotProduct, in float32 whatever the model's type."""
    queries, (keys, values), mask = _projected(attention, inputs)
    q, k, v = (part[0, head].float() for part in (queries, keys, values))
    allowed = mask[0, 0].expand(len(q), len(k))
    weights = attention_weights(q, k, allowed)
    scores = q @ k.T
    numbers = {
        "queries": q,
        "keys": k,
        "values": v,
        "scores": scores,
        "scaled": scores / q.shape[-1] ** 0.5,
        "allowed": allowed,
        "weights": weights,
        "output": weights @ v,
    }
    return {name: np.array(tensor.cpu().numpy()) for name, tensor in numbers.items()}


def _projected(attention: SelfAttention | CrossAttention, inputs: tuple[Any, ...]) -> tuple[Tensor, KeysValues, Tensor]:
    """Queries, keys and values [1, H, length, d_head], and the mask."""
    if isinstance(attention, CrossAttention):
        x, memory, mask = inputs
        return attention.split_heads(attention.q(x), 1)[0], memory, mask
    x, mask = inputs
    queries, keys, values = attention.split_heads(attention.qkv(x), 3)
    return queries, KeysValues(keys, values), mask
