"""Marian as in Hugging Face's transformers: post-norm, decoding with a key-value cache."""

from __future__ import annotations

import re
from collections.abc import Mapping

import torch
from torch import Tensor
from transformers import MarianConfig, MarianMTModel

from benchmarks.speed.rival import SameModel
from benchmarks.speed.sizes import DROPOUT, Size
from benchmarks.speed.textbook import MAX_LENGTH, sinusoids
from benchmarks.speed.training_step import mean_loss
from core.data.batch import Batch
from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID

_RENAMED = (
    (r"^src_embedding\.tokens", "model.encoder.embed_tokens"),
    (r"^tgt_embedding\.tokens", "model.decoder.embed_tokens"),
    (r"^(encoder|decoder)\.layers", r"model.\1.layers"),
    (r"self_attention_norm", "self_attn_layer_norm"),
    (r"cross_attention_norm", "encoder_attn_layer_norm"),
    (r"feed_forward_norm", "final_layer_norm"),
    (r"self_attention\.(q|k|v)\.", r"self_attn.\1_proj."),
    (r"cross_attention\.(q|k|v)\.", r"encoder_attn.\1_proj."),
    (r"self_attention\.output", "self_attn.out_proj"),
    (r"cross_attention\.output", "encoder_attn.out_proj"),
    (r"feed_forward\.inner", "fc1"),
    (r"feed_forward\.outer", "fc2"),
    (r"^output\.weight$", "lm_head.weight"),
)


class Peer(SameModel):
    """A Marian of a size, built for training and `generate`."""

    fused_adam = True  # the default of transformers' Trainer is adamw_torch_fused
    has_beam = True
    norm_first = False

    def __init__(self, size: Size) -> None:
        super().__init__()
        config = MarianConfig(
            vocab_size=size.vocab_size,
            d_model=size.d_model,
            encoder_layers=size.num_layers,
            decoder_layers=size.num_layers,
            encoder_attention_heads=size.num_heads,
            decoder_attention_heads=size.num_heads,
            encoder_ffn_dim=size.d_ff,
            decoder_ffn_dim=size.d_ff,
            max_position_embeddings=MAX_LENGTH,
            activation_function="relu",
            dropout=DROPOUT,
            scale_embedding=True,
            share_encoder_decoder_embeddings=False,
            tie_word_embeddings=False,
            pad_token_id=PAD_ID,
            bos_token_id=BOS_ID,
            eos_token_id=EOS_ID,
            decoder_start_token_id=BOS_ID,
            forced_eos_token_id=None,
        )
        self.marian = MarianMTModel(config)

    def loss(self, batch: Batch) -> Tensor:
        """Smoothed cross entropy; its own loss does not smooth."""
        output = self.marian(
            input_ids=batch.src,
            attention_mask=batch.src_mask.long(),
            decoder_input_ids=batch.tgt_input,
            decoder_attention_mask=batch.tgt_mask.long(),
            use_cache=False,
        )
        return mean_loss(output.logits, batch)

    def decode(self, src: Tensor, src_mask: Tensor, beam_size: int, length: int) -> Tensor:
        """`generate`, as its documentation shows. [B, length]."""
        written: Tensor = self.marian.generate(
            src,
            attention_mask=src_mask.long(),
            num_beams=beam_size,
            do_sample=False,
            max_new_tokens=length,
        )
        return written[:, 1:]

    @torch.no_grad()
    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Load our post-norm weights, as `ours.plain_weights` gives them."""
        renamed = {_renamed(name): tensor for name, tensor in weights.items() if name != "output.bias"}
        renamed["final_logits_bias"] = weights["output.bias"][None]
        table = sinusoids(MAX_LENGTH, weights["output.weight"].shape[1])  # its own has another order
        renamed |= {f"model.{side}.embed_positions.weight": table for side in ("encoder", "decoder")}
        self.marian.load_state_dict(renamed)


def _renamed(name: str) -> str:
    for pattern, replacement in _RENAMED:
        name = re.sub(pattern, replacement, name)
    return name
