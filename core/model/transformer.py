"""The encoder-decoder Transformer (Vaswani et al. 2017)."""

import math
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar, cast

import torch
from torch import Tensor, nn

from core.answers.anatomy import AttentionKind
from core.config import ModelConfig
from core.errors import UserError
from core.model.attention import CrossAttention, SelfAttention
from core.model.dropout import Dropout
from core.model.initialisation import initialise
from core.model.layers import DecoderLayer, EncoderLayer, layer_norm
from core.model.linear import Linear
from core.model.masks import padding_mask, target_mask
from core.model.positions import LearnedPositions, SinusoidalPositions

Layer = TypeVar("Layer", EncoderLayer, DecoderLayer)


class Stack(nn.Module, Generic[Layer]):
    """A stack's layers, and with pre-norm the LayerNorm after the last."""

    def __init__(self, layers: Sequence[Layer], config: ModelConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.norm = layer_norm(config) if config.norm_first else nn.Identity()

    def __iter__(self) -> Iterator[Layer]:
        return cast(Iterator[Layer], iter(self.layers))


class Embedding(nn.Module):
    """Token vectors times sqrt(d_model), plus those of their positions, then dropout (sections 3.4, 3.5 and 5.4)."""

    def __init__(self, tokens: nn.Embedding, config: ModelConfig, max_positions: int) -> None:
        super().__init__()
        kind = SinusoidalPositions if config.positions == "sinusoidal" else LearnedPositions
        self.tokens = tokens
        self.positions: SinusoidalPositions | LearnedPositions = kind(max_positions, config.d_model)
        self.scale = math.sqrt(config.d_model)
        self.dropout = Dropout(config.dropout)

    def forward(self, ids: Tensor) -> Tensor:
        """Ids [B, T] -> [B, T, d_model]."""
        positions = self.positions(ids.shape[1])
        vectors: Tensor = self.dropout(torch.add(positions, self.tokens(ids), alpha=self.scale))
        return vectors


class Transformer(nn.Module):
    """Maps a source and the target so far to logits of the next target token.

    Ids are [B, S] and [B, T]; a mask of the same shape is True at tokens and False at padding. What is at padded
    positions never affects a token's result.
    """

    def __init__(self, config: ModelConfig, src_vocab_size: int, tgt_vocab_size: int, max_positions: int) -> None:
        super().__init__()
        if config.tie_embeddings == "all" and src_vocab_size != tgt_vocab_size:
            raise UserError(
                f"model.tie_embeddings: all needs one vocabulary for source and target; "
                f"here they have {src_vocab_size} and {tgt_vocab_size} tokens.",
                "Set dataset.tokenizer.shared: true, or model.tie_embeddings: decoder.",
            )
        self.config = config
        self.max_positions = max_positions
        src_tokens = nn.Embedding(src_vocab_size, config.d_model)
        tgt_tokens = src_tokens if config.tie_embeddings == "all" else nn.Embedding(tgt_vocab_size, config.d_model)
        self.src_embedding = Embedding(src_tokens, config, max_positions)
        self.tgt_embedding = Embedding(tgt_tokens, config, max_positions)
        self.encoder = Stack([EncoderLayer(config) for _ in range(config.num_encoder_layers)], config)
        self.decoder = Stack([DecoderLayer(config) for _ in range(config.num_decoder_layers)], config)
        self.output = Linear(config.d_model, tgt_vocab_size, bias=config.bias)
        initialise(self, self.output)
        if config.tie_embeddings != "none":
            self.output.weight = tgt_tokens.weight

    @property
    def device(self) -> torch.device:
        """Where the weights are, and ids must be."""
        return self.output.weight.device

    def forward(self, src: Tensor, tgt_input: Tensor, src_mask: Tensor, tgt_mask: Tensor) -> Tensor:
        """Logits [B, T, V] of the token that follows each of tgt_input."""
        return self.project(self.decode(tgt_input, self.encode(src, src_mask), src_mask, tgt_mask))

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        """The memory [B, S, d_model]. Raises UserError for a source longer than the model's positions."""
        self.require_positions(src.shape[1], "src")
        x = self.src_embedding(src)
        mask = padding_mask(src_mask)
        for layer in self.encoder:
            x = layer(x, mask)
        memory: Tensor = self.encoder.norm(x)
        return memory

    def decode(self, tgt_input: Tensor, memory: Tensor, src_mask: Tensor, tgt_mask: Tensor) -> Tensor:
        """Hidden states [B, T, d_model], for `project`; position t depends on no later one."""
        self.require_positions(tgt_input.shape[1], "tgt")
        x = self.tgt_embedding(tgt_input)
        mask, memory_mask = target_mask(tgt_mask), padding_mask(src_mask)
        for layer in self.decoder:
            x = layer(x, mask, layer.cross_attention.keys_values(memory), memory_mask)
        hidden: Tensor = self.decoder.norm(x)
        return hidden

    def project(self, hidden: Tensor) -> Tensor:
        """Logits [..., V] of hidden states [..., d_model]."""
        logits: Tensor = self.output(hidden)
        return logits

    def attentions(self, kind: AttentionKind) -> Sequence[SelfAttention | CrossAttention]:
        """The attention modules of one kind, layer by layer."""
        if kind == "encoder_self":
            return [layer.self_attention for layer in self.encoder]
        return [layer.cross_attention if kind == "cross" else layer.self_attention for layer in self.decoder]

    def require_positions(self, length: int, side: str) -> None:
        """Raise UserError for a sequence on this side ("src" or "tgt") that is longer than the model's positions."""
        if length > self.max_positions:
            raise UserError(
                f"A {side} sequence of {length} tokens is longer than this model's {self.max_positions} positions.",
                f"Shorten it, or train with a larger dataset.max_{side}_length.",
            )
