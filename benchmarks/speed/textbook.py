"""The Transformer as a textbook writes it: plain modules, one after the other, nothing done for speed.

Structured as the Annotated Transformer (Rush 2018): separate projections for queries, keys and values, attention
written out, dropout also on its weights and inside the feed-forward network. Pre-norm, so that our weights fit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from benchmarks.speed.rival import SameModel
from benchmarks.speed.sizes import DROPOUT, Size
from benchmarks.speed.training_step import mean_loss
from core.data.batch import Batch
from core.data.special_tokens import BOS_ID

MAX_LENGTH = 512  # the most tokens that have positions


class Attention(nn.Module):
    """Scaled dot-product attention with several heads."""

    def __init__(self, size: Size, dropout: float) -> None:
        super().__init__()
        self.num_heads = size.num_heads
        self.q = nn.Linear(size.d_model, size.d_model)
        self.k = nn.Linear(size.d_model, size.d_model)
        self.v = nn.Linear(size.d_model, size.d_model)
        self.output = nn.Linear(size.d_model, size.d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """[B, T, d_model] that reads [B, S, d_model] -> [B, T, d_model]; mask [B, 1, 1 or T, S]."""
        q, k, v = self._split(self.q(x)), self._split(self.k(memory)), self._split(self.v(memory))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(~mask, -1e9)
        weights = self.dropout(scores.softmax(-1))
        mixed: Tensor = self.output((weights @ v).transpose(1, 2).flatten(2))
        return mixed

    def _split(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], self.num_heads, -1).transpose(1, 2)


class FeedForward(nn.Module):
    """Two linear layers with a ReLU between them."""

    def __init__(self, size: Size, dropout: float) -> None:
        super().__init__()
        self.inner = nn.Linear(size.d_model, size.d_ff)
        self.outer = nn.Linear(size.d_ff, size.d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """[..., d_model] -> [..., d_model]."""
        mapped: Tensor = self.outer(self.dropout(self.inner(x).relu()))
        return mapped


class EncoderLayer(nn.Module):
    """Self-attention and feed-forward network, each with pre-norm and a residual connection."""

    def __init__(self, size: Size, inner_dropout: float) -> None:
        super().__init__()
        self.self_attention_norm = nn.LayerNorm(size.d_model)
        self.self_attention = Attention(size, inner_dropout)
        self.feed_forward_norm = nn.LayerNorm(size.d_model)
        self.feed_forward = FeedForward(size, inner_dropout)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """[B, S, d_model] -> [B, S, d_model]."""
        normed = self.self_attention_norm(x)
        x = x + self.dropout(self.self_attention(normed, normed, mask))
        ended: Tensor = x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        return ended


class DecoderLayer(EncoderLayer):
    """An encoder layer with attention to the memory between its two sublayers."""

    def __init__(self, size: Size, inner_dropout: float) -> None:
        super().__init__(size, inner_dropout)
        self.cross_attention_norm = nn.LayerNorm(size.d_model)
        self.cross_attention = Attention(size, inner_dropout)

    def forward(self, x: Tensor, mask: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:  # type: ignore[override]
        """[B, T, d_model] -> [B, T, d_model]."""
        normed = self.self_attention_norm(x)
        x = x + self.dropout(self.self_attention(normed, normed, mask))
        x = x + self.dropout(self.cross_attention(self.cross_attention_norm(x), memory, memory_mask))
        ended: Tensor = x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        return ended


class Embedding(nn.Module):
    """Tokens times sqrt(d_model), plus sinusoids."""

    table: Tensor

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.tokens = nn.Embedding(size.vocab_size, size.d_model)
        self.dropout = nn.Dropout(DROPOUT)
        self.register_buffer("table", sinusoids(MAX_LENGTH, size.d_model), persistent=False)

    def forward(self, ids: Tensor) -> Tensor:
        """[B, T] -> [B, T, d_model]."""
        scaled = self.tokens(ids) * math.sqrt(self.tokens.embedding_dim)
        embedded: Tensor = self.dropout(scaled + self.table[: ids.shape[1]])
        return embedded


class Stack(nn.Module):
    """Layers, and a LayerNorm after the last."""

    def __init__(self, layers: list[EncoderLayer], size: Size) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.norm = nn.LayerNorm(size.d_model)

    def forward(self, x: Tensor, *others: Tensor) -> Tensor:
        """[B, T, d_model] -> [B, T, d_model]."""
        for layer in self.layers:
            x = layer(x, *others)
        normed: Tensor = self.norm(x)
        return normed


class Textbook(SameModel):
    """Encoder, decoder and projection onto the vocabulary. Weights have our names, with fused projections split."""

    def __init__(self, size: Size, inner_dropout: float = DROPOUT) -> None:
        """`inner_dropout` is that on attention weights and inside the feed-forward network, where ours has none."""
        super().__init__()
        self.src_embedding, self.tgt_embedding = Embedding(size), Embedding(size)
        self.encoder = Stack([EncoderLayer(size, inner_dropout) for _ in range(size.num_layers)], size)
        self.decoder = Stack([DecoderLayer(size, inner_dropout) for _ in range(size.num_layers)], size)
        self.output = nn.Linear(size.d_model, size.vocab_size)

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        """[B, S] -> the memory [B, S, d_model]."""
        memory: Tensor = self.encoder(self.src_embedding(src), src_mask[:, None, None])
        return memory

    def predict(self, tgt_input: Tensor, memory: Tensor, src_mask: Tensor, tgt_mask: Tensor) -> Tensor:
        """[B, T] -> logits [B, T, V]."""
        mask = tgt_mask[:, None, None] & subsequent(tgt_input.shape[1], tgt_input.device)
        logits: Tensor = self.output(self.decoder(self.tgt_embedding(tgt_input), mask, memory, src_mask[:, None, None]))
        return logits

    def forward(self, batch: Batch) -> Tensor:
        """Logits [B, T, V]."""
        return self.predict(batch.tgt_input, self.encode(batch.src, batch.src_mask), batch.src_mask, batch.tgt_mask)

    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Load our weights, as `ours.plain_weights` gives them."""
        self.load_state_dict(weights)

    def loss(self, batch: Batch) -> Tensor:
        """Smoothed cross entropy."""
        return mean_loss(self(batch), batch)

    @torch.inference_mode()
    def decode(self, src: Tensor, src_mask: Tensor, beam_size: int, length: int) -> Tensor:
        """Greedy decoding that reads the whole prefix again at every token. [B, length]."""
        assert beam_size == 1
        memory = self.encode(src, src_mask)
        tokens = torch.full((len(src), 1), BOS_ID)
        for _ in range(length):
            logits = self.predict(tokens, memory, src_mask, torch.ones_like(tokens, dtype=torch.bool))
            tokens = torch.cat([tokens, logits[:, -1].argmax(-1, keepdim=True)], dim=1)
        return tokens[:, 1:]


def sinusoids(num_positions: int, d_model: int) -> Tensor:
    """Sines in the even columns, cosines in the odd ones. [num_positions, d_model]."""
    positions = torch.arange(num_positions).unsqueeze(1)
    rates = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
    table = torch.zeros(num_positions, d_model)
    table[:, 0::2] = torch.sin(positions * rates)
    table[:, 1::2] = torch.cos(positions * rates)
    return table


def subsequent(length: int, device: torch.device) -> Tensor:
    """Let each position attend to itself and those before it. [T, T]."""
    return torch.tril(torch.ones(length, length, dtype=torch.bool, device=device))
