"""x-transformers' `XTransformer`: learned positions, no biases, decoding with a key-value cache."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from x_transformers import XTransformer

from benchmarks.speed.rival import Rival
from benchmarks.speed.sizes import DROPOUT, OUTPUT_LENGTH, Size
from benchmarks.speed.training_step import mean_loss
from core.data.batch import Batch
from core.data.special_tokens import BOS_ID, PAD_ID


class Peer(Rival):
    """An `XTransformer` of a size, with the fused attention its documentation recommends."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        sides: dict[str, Any] = {}
        for side in ("enc", "dec"):
            sides |= {
                f"{side}_num_tokens": size.vocab_size,
                f"{side}_depth": size.num_layers,
                f"{side}_heads": size.num_heads,
                f"{side}_attn_dim_head": size.d_model // size.num_heads,
                f"{side}_ff_mult": size.d_ff / size.d_model,
                f"{side}_max_seq_len": max(size.length, OUTPUT_LENGTH),
                f"{side}_attn_flash": True,
                f"{side}_emb_dropout": DROPOUT,
                f"{side}_layer_dropout": 0.0,
                f"{side}_attn_dropout": DROPOUT,
                f"{side}_ff_dropout": DROPOUT,
            }
        self.model = XTransformer(dim=size.d_model, tie_token_emb=False, pad_value=PAD_ID, **sides)

    def loss(self, batch: Batch) -> Tensor:
        """Smoothed cross entropy; its own loss does not smooth."""
        memory = self.model.encoder(batch.src, mask=batch.src_mask, return_embeddings=True)
        logits = self.model.decoder.net(
            batch.tgt_input, mask=batch.tgt_mask, context=memory, context_mask=batch.src_mask
        )
        return mean_loss(logits, batch)

    def decode(self, src: Tensor, src_mask: Tensor, beam_size: int, length: int) -> Tensor:
        """Greedy `generate`, as its documentation shows. [B, length]."""
        assert beam_size == 1
        start = torch.full((len(src), 1), BOS_ID)
        written: Tensor = self.model.generate(src, start, length, mask=src_mask, temperature=0.0)
        return written
