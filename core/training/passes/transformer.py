"""The whole model: from ids to the decoder's hidden states, and back."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from core.data.batch import Batch
from core.model.masks import padding_mask, target_mask
from core.model.transformer import Transformer
from core.training.passes.attention import RowLayout
from core.training.passes.dropout import DropoutMasks
from core.training.passes.embedding import EmbeddingPass
from core.training.passes.layers import DecoderLayerPass, EncoderLayerPass
from core.training.passes.norm import LayerNormPass
from core.training.passes.weights import Weights, at_least_float32


class TransformerPass:
    """Encoder and decoder in training, up to the projection onto the vocabulary."""

    def __init__(self, model: Transformer, weights: Weights) -> None:
        config = model.config
        self._config = config
        self._masks = DropoutMasks(config.dropout, weights.dtype, weights.device)
        self._weight_masks = DropoutMasks(config.attention_dropout, at_least_float32(weights.dtype), weights.device)
        masks = self._masks, self._weight_masks
        self._src_embedding = EmbeddingPass(model.src_embedding, weights, self._masks)
        self._tgt_embedding = EmbeddingPass(model.tgt_embedding, weights, self._masks)
        self._encoder = [EncoderLayerPass(layer, weights, *masks) for layer in model.encoder]
        self._decoder = [DecoderLayerPass(layer, weights, *masks) for layer in model.decoder]
        self._encoder_norm = _final_norm(model.encoder.norm, weights)
        self._decoder_norm = _final_norm(model.decoder.norm, weights)

    def forward(self, batch: Batch) -> Tensor:
        """Hidden states [B * T, d_model] of a batch's targets."""
        self._draw_masks(batch)
        src_layout = RowLayout(batch.src.shape[0], batch.src.shape[1], additive_mask(padding_mask(batch.src_mask)))
        x = self._src_embedding.forward(batch.src)
        for encoder_layer in self._encoder:
            x = encoder_layer.forward(x, src_layout)
        memory = self._encoder_norm.forward(x) if self._encoder_norm else x
        tgt_layout = RowLayout(
            batch.tgt_input.shape[0], batch.tgt_input.shape[1], additive_mask(target_mask(batch.tgt_mask))
        )
        x = self._tgt_embedding.forward(batch.tgt_input)
        for decoder_layer in self._decoder:
            x = decoder_layer.forward(x, tgt_layout, memory, src_layout)
        self._memory_shape = memory.shape
        return self._decoder_norm.forward(x) if self._decoder_norm else x

    def backward(self, gradient: Tensor) -> tuple[Tensor, Tensor]:
        """Given the gradient of the hidden states, return those of the embedded sources and targets."""
        if self._decoder_norm:
            gradient = self._decoder_norm.backward(gradient)
        d_memory = gradient.new_zeros(self._memory_shape)
        for decoder_layer in reversed(self._decoder):
            gradient = decoder_layer.backward(gradient, d_memory)
        d_targets = gradient
        gradient = self._encoder_norm.backward(d_memory) if self._encoder_norm else d_memory
        for encoder_layer in reversed(self._encoder):
            gradient = encoder_layer.backward(gradient)
        return gradient, d_targets

    def embed_backward(self, d_sources: Tensor, d_targets: Tensor) -> None:
        """Finish the backward pass: add to the embeddings' totals, since a token's many gradients need float32."""
        self._src_embedding.backward(d_sources)
        self._tgt_embedding.backward(d_targets)

    def _draw_masks(self, batch: Batch) -> None:
        """For every dropout: after the embeddings, at the end of each sublayer, and on the attention weights."""
        config, (size, src_length), tgt_length = self._config, batch.src.shape, batch.tgt_input.shape[1]
        src_dropouts, tgt_dropouts = 1 + 2 * len(self._encoder), 1 + 3 * len(self._decoder)
        self._masks.draw(size * config.d_model * (src_length * src_dropouts + tgt_length * tgt_dropouts))
        pairs = len(self._encoder) * src_length**2 + len(self._decoder) * tgt_length * (tgt_length + src_length)
        self._weight_masks.draw(size * config.num_heads * pairs)


def additive_mask(mask: Tensor) -> Tensor:
    """Zero where a mask is True, else -inf: what is added to scores."""
    return torch.zeros(mask.shape, device=mask.device).masked_fill_(~mask, -math.inf)


def _final_norm(norm: nn.Module, weights: Weights) -> LayerNormPass | None:
    """The LayerNorm after the last layer, which post-norm lacks."""
    return LayerNormPass(norm, weights) if isinstance(norm, nn.LayerNorm) else None
