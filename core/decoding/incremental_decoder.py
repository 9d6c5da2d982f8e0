"""The decoder as plain tensor operations, run one position at a time with a cache of keys and values.

In a small batch, a step's time goes into module calls and copies, not arithmetic; here there are neither.
On one thread, 20 tokens of one sentence take 25 ms instead of the modules' 32 (3 + 3 layers, d_model 256, vocabulary
8,000), those of 64 sentences 250 ms instead of 300; a step of 4 sentences with 1 + 1 layers of 64 takes half the time.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.data.special_tokens import EOS_ID
from core.decoding.cached_attention import CrossAttentionStep, SelfAttentionStep
from core.decoding.linear_maps import prepare_linear
from core.model.layers import DecoderLayer, FeedForward
from core.model.transformer import Transformer

# Ids from here on can be produced; <pad> and <bos> come before it.
FIRST_OUTPUT_ID = EOS_ID


class IncrementalLayer:
    """One decoder layer: its parts, each run one step at a time, with their caches."""

    def __init__(self, layer: DecoderLayer, memory: Tensor, *, num_beams: int, max_length: int) -> None:
        self.self_attention_norm = LayerNormStep(layer.self_attention_norm)
        self.self_attention = SelfAttentionStep(layer.self_attention, len(memory), num_beams, max_length)
        self.cross_attention_norm = LayerNormStep(layer.cross_attention_norm)
        self.cross_attention = CrossAttentionStep(layer.cross_attention, memory, num_beams)
        self.feed_forward_norm = LayerNormStep(layer.feed_forward_norm)
        self.feed_forward = FeedForwardStep(layer.feed_forward, len(memory) * num_beams)

    def keep(self, sentences: Tensor, num_used: int) -> None:
        """Keep only these sentences; the first `num_used` slots of each are in use."""
        self.self_attention.keep(sentences, num_used)
        self.cross_attention.keep(sentences)


class FeedForwardStep:
    """One layer's feed-forward network."""

    def __init__(self, feed_forward: FeedForward, num_rows: int) -> None:
        self._inner, self._outer = (
            prepare_linear(feed_forward.inner, num_rows),
            prepare_linear(feed_forward.outer, num_rows),
        )
        self._activation = feed_forward.activation

    def add_to(self, x: Tensor, inputs: Tensor) -> None:
        """Add the network's output for `inputs` to x [B * K, d_model], in place."""
        self._outer.add_to(x, self._activation(self._inner.apply(inputs)))


class LayerNormStep:
    """A LayerNorm."""

    def __init__(self, norm: nn.LayerNorm) -> None:
        self._shape, self._weight, self._bias = norm.weight.shape, norm.weight, norm.bias

    def apply(self, x: Tensor) -> Tensor:
        """Normalise each row, into new memory."""
        return torch.layer_norm(x, self._shape, self._weight, self._bias)


class IncrementalDecoder:
    """Decodes a batch of sentences, with `num_beams` hypotheses each.

    The K hypotheses of a sentence share its memory, and are adjacent in every dimension of B * K. Cached keys and
    values never move: position t of hypothesis k stays in slot t * K + k of its sentence. When hypotheses branch, only
    a mask changes, which says whose past a slot belongs to.
    """

    def __init__(
        self, model: Transformer, src: Tensor, src_mask: Tensor, *, max_length: int, num_beams: int = 1
    ) -> None:
        """Encode sources [B, S], and allocate memory for `max_length` steps; inside `evaluating(model)` only.

        Raises UserError when the sources or max_length exceed the model's positions.
        """
        model.require_positions(max_length, "tgt")
        memory = model.encode(src, src_mask)
        self._embedding, self._scale = model.tgt_embedding.tokens.weight, model.tgt_embedding.scale
        self._positions = model.tgt_embedding.positions(max_length)
        self._src_mask = None  # where there is padding, [B, 1, 1, S]: 0 at tokens, -inf elsewhere
        if not src_mask.all():
            self._src_mask = torch.where(src_mask, 0.0, -torch.inf).to(memory)[:, None, None]
        self._layers = [
            IncrementalLayer(layer, memory, num_beams=num_beams, max_length=max_length) for layer in model.decoder
        ]
        norm = model.decoder.norm
        self._norm = LayerNormStep(norm) if isinstance(norm, nn.LayerNorm) else None  # only pre-norm has one
        num_rows = len(src) * num_beams
        self._output = prepare_linear(model.output, num_rows, first=FIRST_OUTPUT_ID)
        # Overwritten by each step whose product takes an `out`: new memory's page faults cost more than the product.
        self._logits = memory.new_empty(num_rows, model.output.out_features - FIRST_OUTPUT_ID)
        self._num_beams, self._length = num_beams, 0
        self._ancestors = None  # with several beams, [B, 1, K, slots]: 0 at a hypothesis's own past, -inf elsewhere
        if num_beams > 1:
            self._ancestors = memory.new_full((len(src), 1, num_beams, max_length * num_beams), -torch.inf)

    def step(self, tokens: Tensor) -> Tensor:
        """Read each hypothesis's newest token, ids [B * K]; return the next one's logits [B * K, V - FIRST_OUTPUT_ID].

        Column i is the token FIRST_OUTPUT_ID + i. The next step may overwrite the logits.
        """
        if self._ancestors is not None:
            newest = self._ancestors[:, 0, :, self._num_used : self._num_used + self._num_beams]
            newest.diagonal(dim1=1, dim2=2).zero_()
        x = torch.add(self._positions[self._length], F.embedding(tokens, self._embedding), alpha=self._scale)
        self._length += 1
        ancestors = None if self._ancestors is None else self._ancestors[..., : self._num_used]
        for layer in self._layers:
            if self._norm is not None:
                layer.self_attention.add_to(x, layer.self_attention_norm.apply(x), self._num_used, ancestors)
                layer.cross_attention.add_to(x, layer.cross_attention_norm.apply(x), self._src_mask)
                layer.feed_forward.add_to(x, layer.feed_forward_norm.apply(x))
            else:
                layer.self_attention.add_to(x, x, self._num_used, ancestors)
                x = layer.self_attention_norm.apply(x)
                layer.cross_attention.add_to(x, x, self._src_mask)
                x = layer.cross_attention_norm.apply(x)
                layer.feed_forward.add_to(x, x)
                x = layer.feed_forward_norm.apply(x)
        if self._norm is not None:
            x = self._norm.apply(x)
        return self._output.apply(x, out=self._logits[: x.shape[0]])

    def reorder(self, parents: Tensor) -> None:
        """Let hypothesis k of sentence b continue hypothesis `parents[b, k]`. [B, K]."""
        if self._ancestors is None:  # a single hypothesis continues itself
            return
        past = self._ancestors[..., : self._num_used]
        past.copy_(past.gather(2, parents[:, None, :, None].expand(-1, -1, -1, self._num_used)))

    def keep(self, sentences: Tensor) -> None:
        """Keep only these sentences [N], in this order."""
        for layer in self._layers:
            layer.keep(sentences, self._num_used)
        if self._src_mask is not None:
            self._src_mask = self._src_mask[sentences]
        if self._ancestors is not None:
            self._ancestors = self._ancestors[sentences]

    @property
    def _num_used(self) -> int:
        return self._length * self._num_beams
