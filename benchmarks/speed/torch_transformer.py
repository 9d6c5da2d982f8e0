"""`torch.nn.Transformer` with embeddings and a projection, as PyTorch's own translation tutorial uses it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from benchmarks.speed.rival import SameModel
from benchmarks.speed.sizes import DROPOUT, Size
from benchmarks.speed.textbook import MAX_LENGTH, sinusoids, subsequent
from benchmarks.speed.training_step import mean_loss
from core.data.batch import Batch
from core.data.special_tokens import BOS_ID


class TorchTransformer(SameModel):
    """`torch.nn.Transformer`, pre-norm, so that our weights fit."""

    positions: Tensor

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.src_tokens = nn.Embedding(size.vocab_size, size.d_model)
        self.tgt_tokens = nn.Embedding(size.vocab_size, size.d_model)
        self.register_buffer("positions", sinusoids(MAX_LENGTH, size.d_model), persistent=False)
        self.dropout = nn.Dropout(DROPOUT)
        sizes = size.d_model, size.num_heads, size.num_layers, size.num_layers, size.d_ff, DROPOUT
        with warnings.catch_warnings():  # it warns that pre-norm prevents skipping padding; there is none here
            warnings.filterwarnings("ignore", message="enable_nested_tensor is True")
            self.transformer = nn.Transformer(*sizes, batch_first=True, norm_first=True)
        self.output = nn.Linear(size.d_model, size.vocab_size)

    def forward(self, batch: Batch) -> Tensor:
        """Logits [B, T, V]. torch's masks are True where attention is forbidden."""
        hidden = self.transformer(
            self._embedded(self.src_tokens, batch.src),
            self._embedded(self.tgt_tokens, batch.tgt_input),
            tgt_mask=~subsequent(batch.tgt_input.shape[1], batch.tgt_input.device),
            src_key_padding_mask=~batch.src_mask,
            tgt_key_padding_mask=~batch.tgt_mask,
            memory_key_padding_mask=~batch.src_mask,
        )
        logits: Tensor = self.output(hidden)
        return logits

    def loss(self, batch: Batch) -> Tensor:
        """Smoothed cross entropy."""
        return mean_loss(self(batch), batch)

    @torch.inference_mode()
    def decode(self, src: Tensor, src_mask: Tensor, beam_size: int, length: int) -> Tensor:
        """Greedy decoding that reads the whole prefix again at every token. [B, length]."""
        assert beam_size == 1
        memory = self.transformer.encoder(self._embedded(self.src_tokens, src), src_key_padding_mask=~src_mask)
        tokens = torch.full((len(src), 1), BOS_ID)
        for _ in range(length):
            hidden = self.transformer.decoder(
                self._embedded(self.tgt_tokens, tokens),
                memory,
                tgt_mask=~subsequent(tokens.shape[1], tokens.device),
                memory_key_padding_mask=~src_mask,
            )
            best = self.output(hidden[:, -1]).argmax(-1, keepdim=True)
            tokens = torch.cat([tokens, best], dim=1)
        return tokens[:, 1:]

    def _embedded(self, tokens: nn.Embedding, ids: Tensor) -> Tensor:
        scaled = tokens(ids) * math.sqrt(tokens.embedding_dim)
        embedded: Tensor = self.dropout(scaled + self.positions[: ids.shape[1]])
        return embedded

    @torch.no_grad()
    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Load our weights, as `ours.plain_weights` gives them."""
        self.src_tokens.weight.copy_(weights["src_embedding.tokens.weight"])
        self.tgt_tokens.weight.copy_(weights["tgt_embedding.tokens.weight"])
        for side in ("encoder", "decoder"):
            stack = getattr(self.transformer, side)
            for number, layer in enumerate(stack.layers):
                _load_layer(layer, _below(weights, f"{side}.layers.{number}"), side)
            stack.norm.load_state_dict(_below(weights, f"{side}.norm"))
        self.output.load_state_dict(_below(weights, "output"))


def _load_layer(layer: nn.Module, weights: Mapping[str, Tensor], side: str) -> None:
    attentions = {"self_attn": "self_attention"} | ({"multihead_attn": "cross_attention"} if side == "decoder" else {})
    for name, own in attentions.items():
        _load_attention(layer.get_submodule(name), _below(weights, own))
    norms = [f"{own}_norm" for own in [*attentions.values(), "feed_forward"]]
    parts = {f"norm{number}": own for number, own in enumerate(norms, start=1)}
    parts |= {"linear1": "feed_forward.inner", "linear2": "feed_forward.outer"}
    for name, own in parts.items():
        layer.get_submodule(name).load_state_dict(_below(weights, own))


def _load_attention(attention: nn.Module, weights: Mapping[str, Tensor]) -> None:
    fused = {f"in_proj_{kind}": torch.cat([weights[f"{part}.{kind}"] for part in "qkv"]) for kind in ("weight", "bias")}
    attention.load_state_dict(fused | {f"out_proj.{kind}": weights[f"output.{kind}"] for kind in ("weight", "bias")})


def _below(weights: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose names begin with `prefix.`, without that prefix."""
    return {
        name.removeprefix(f"{prefix}."): tensor for name, tensor in weights.items() if name.startswith(f"{prefix}.")
    }
