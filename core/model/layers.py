"""The layers of both stacks, pre-norm or post-norm (Vaswani et al. 2017, section 3.1; Xiong et al. 2020)."""

from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor, nn

from core.config import ModelConfig
from core.model.attention import CrossAttention, KeysValues, SelfAttention
from core.model.dropout import Dropout
from core.model.linear import Linear


class FeedForward(nn.Module):
    """Two linear layers with a ReLU or GELU between them, the same at every position (section 3.3)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.inner = Linear(config.d_model, config.d_ff, bias=config.bias)
        self.outer = Linear(config.d_ff, config.d_model, bias=config.bias)
        self.activation: Callable[[Tensor], Tensor] = F.relu if config.activation == "relu" else F.gelu

    def forward(self, x: Tensor) -> Tensor:
        """[..., d_model] -> [..., d_model]."""
        mapped: Tensor = self.outer(self.activation(self.inner(x)))
        return mapped


class EncoderLayer(nn.Module):
    """Self-attention and a feed-forward network, each with a residual connection, dropout and a LayerNorm."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.norm_first = config.norm_first
        self.self_attention_norm = layer_norm(config)
        self.self_attention = SelfAttention(*_attention_sizes(config))
        self.feed_forward_norm = layer_norm(config)
        self.feed_forward = FeedForward(config)
        self.dropout = Dropout(config.dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """[B, S, d_model] -> [B, S, d_model]; mask [B, 1, 1, S]."""
        if self.norm_first:
            x = self.dropout.add(x, self.self_attention(self.self_attention_norm(x), mask))
            return self.dropout.add(x, self.feed_forward(self.feed_forward_norm(x)))
        x = self.self_attention_norm(self.dropout.add(x, self.self_attention(x, mask)))
        output: Tensor = self.feed_forward_norm(self.dropout.add(x, self.feed_forward(x)))
        return output


class DecoderLayer(nn.Module):
    """Self-attention, attention to the memory and a feed-forward network.

    `core.decoding.incremental_decoder` does the same for one position at a time.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.norm_first = config.norm_first
        self.self_attention_norm = layer_norm(config)
        self.self_attention = SelfAttention(*_attention_sizes(config))
        self.cross_attention_norm = layer_norm(config)
        self.cross_attention = CrossAttention(*_attention_sizes(config))
        self.feed_forward_norm = layer_norm(config)
        self.feed_forward = FeedForward(config)
        self.dropout = Dropout(config.dropout)

    def forward(self, x: Tensor, mask: Tensor, memory: KeysValues, memory_mask: Tensor) -> Tensor:
        """[B, T, d_model] -> [B, T, d_model]; mask [B, 1, T, T], memory_mask [B, 1, 1, S]."""
        if self.norm_first:
            x = self.dropout.add(x, self.self_attention(self.self_attention_norm(x), mask))
            x = self.dropout.add(x, self.cross_attention(self.cross_attention_norm(x), memory, memory_mask))
            return self.dropout.add(x, self.feed_forward(self.feed_forward_norm(x)))
        x = self.self_attention_norm(self.dropout.add(x, self.self_attention(x, mask)))
        x = self.cross_attention_norm(self.dropout.add(x, self.cross_attention(x, memory, memory_mask)))
        output: Tensor = self.feed_forward_norm(self.dropout.add(x, self.feed_forward(x)))
        return output


def layer_norm(config: ModelConfig) -> nn.LayerNorm:
    """LayerNorm over d_model; without biases in a model that has none."""
    return nn.LayerNorm(config.d_model, bias=config.bias)


def _attention_sizes(config: ModelConfig) -> tuple[int, int, float, bool]:
    return config.d_model, config.num_heads, config.attention_dropout, config.bias
