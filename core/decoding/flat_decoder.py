"""The decoder as plain tensors, stepped one position at a time over the keys and values it remembers.

A step of a small batch is bound by the calls of modules and by copies, not by arithmetic; here are neither.
On one thread, 20 tokens of one sentence take 25 ms instead of the modules' 32 (3 + 3 layers, d_model 256, vocabulary
8,000), those of 64 sentences 250 ms instead of 300; a step of 4 sentences with 1 + 1 layers of 64 takes half the time.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.data.special_tokens import EOS_ID
from core.decoding.products import Affine, add_mapped, mapped
from core.model.attention import KeysValues
from core.model.layers import DecoderLayer
from core.model.transformer import Transformer

# Ids from here on can be produced; <pad> and <bos> stand before it.
FIRST_PRODUCED = EOS_ID


class FlatLayer:
    """One decoder layer: its weights, the memory's keys and values for it, and room for those of the target."""

    def __init__(self, layer: DecoderLayer, memory: Tensor, num_slots: int) -> None:
        own, cross, feed_forward = layer.self_attention, layer.cross_attention, layer.feed_forward
        self.self_attention_norm = _norm(layer.self_attention_norm)
        self.qkv, self.self_output = _linear(own.qkv), _linear(own.output)
        self.cross_attention_norm = _norm(layer.cross_attention_norm)
        self.q, self.cross_output = _linear(cross.q), _linear(cross.output)
        self.feed_forward_norm = _norm(layer.feed_forward_norm)
        self.inner, self.outer = _linear(feed_forward.inner), _linear(feed_forward.outer)
        self.activation = feed_forward.activation
        self.num_heads, self.d_head = own.num_heads, own.d_head
        self.memory = KeysValues(*(part.contiguous() for part in cross.keys_values(memory)))  # read at every step
        room = (len(memory), own.num_heads, num_slots, own.d_head)
        self.past = KeysValues(memory.new_empty(room), memory.new_empty(room))

    def keep(self, sentences: Tensor, num_used: int) -> None:
        """Go on with these sentences, of whose room the first `num_used` slots are used."""
        self.memory = KeysValues(*(part[sentences] for part in self.memory))
        self.past = KeysValues(*(_taken(room, sentences, num_used) for room in self.past))


class FlatDecoder:
    """Sentences, `num_beams` hypotheses of each, and what the decoder knows of the tokens these have so far.

    The K hypotheses of a sentence share its memory, and lie side by side in every dimension of B * K. What they
    remember never moves: position t of hypothesis k stays in slot t * K + k of its sentence. When hypotheses branch,
    only a mask changes, which says whose past a slot belongs to.
    """

    def __init__(
        self, model: Transformer, src: Tensor, src_mask: Tensor, *, max_length: int, num_beams: int = 1
    ) -> None:
        """Encode sources [B, S], and make room for `max_length` steps; inside `evaluating(model)` only.

        Raises UserError when the sources or max_length exceed the model's positions.
        """
        model.require_positions(max_length, "tgt")
        memory = model.encode(src, src_mask)
        self._embedding, self._scale = model.tgt_embedding.tokens.weight, model.tgt_embedding.scale
        self._positions = model.tgt_embedding.positions(max_length)
        self._layers = [FlatLayer(layer, memory, max_length * num_beams) for layer in model.decoder]
        norm, output = model.decoder.norm, _linear(model.output)
        self._norm = _norm(norm) if isinstance(norm, nn.LayerNorm) else None  # there with pre-norm
        self._output = Affine(
            output.weight[:, FIRST_PRODUCED:], None if output.bias is None else output.bias[FIRST_PRODUCED:]
        )
        # Written anew by each step: memory that is allocated anew costs more than the product, page by page.
        self._logits = memory.new_empty(len(src) * num_beams, output.weight.shape[1] - FIRST_PRODUCED)
        self._num_beams, self._length = num_beams, 0
        self._src_mask = None  # where there is padding, [B, 1, 1, S]: 0 at tokens, -inf elsewhere
        if not src_mask.all():
            self._src_mask = torch.where(src_mask, 0.0, -torch.inf).to(memory)[:, None, None]
        self._ancestors = None  # with several beams, [B, 1, K, slots]: 0 at a hypothesis's own past, -inf elsewhere
        if num_beams > 1:
            self._ancestors = memory.new_full((len(src), 1, num_beams, max_length * num_beams), -torch.inf)

    def step(self, tokens: Tensor) -> Tensor:
        """Read each hypothesis's newest token, ids [B * K]; give logits of the next, [B * K, V - FIRST_PRODUCED].

        Column i belongs to the token FIRST_PRODUCED + i. The next step overwrites them.
        """
        if self._ancestors is not None:
            newest = self._ancestors[:, 0, :, self._num_used : self._num_used + self._num_beams]
            newest.diagonal(dim1=1, dim2=2).zero_()
        x = torch.add(self._positions[self._length], F.embedding(tokens, self._embedding), alpha=self._scale)
        self._length += 1
        for layer in self._layers:
            if self._norm is not None:
                self._add_self_attention(layer, x, _normalised(x, layer.self_attention_norm))
                self._add_cross_attention(layer, x, _normalised(x, layer.cross_attention_norm))
                _add_feed_forward(layer, x, _normalised(x, layer.feed_forward_norm))
            else:
                self._add_self_attention(layer, x, x)
                x = _normalised(x, layer.self_attention_norm)
                self._add_cross_attention(layer, x, x)
                x = _normalised(x, layer.cross_attention_norm)
                _add_feed_forward(layer, x, x)
                x = _normalised(x, layer.feed_forward_norm)
        if self._norm is not None:
            x = _normalised(x, self._norm)
        return mapped(x, self._output, out=self._logits[: len(x)])

    def branch(self, parents: Tensor) -> None:
        """Let hypothesis k of sentence b go on from what hypothesis `parents[b, k]` was. [B, K]."""
        if self._ancestors is None:  # the only one goes on from itself
            return
        past = self._ancestors[..., : self._num_used]
        past.copy_(past.gather(2, parents[:, None, :, None].expand(-1, -1, -1, self._num_used)))

    def keep(self, sentences: Tensor) -> None:
        """Go on with these sentences alone, in this order. [N]."""
        for layer in self._layers:
            layer.keep(sentences, self._num_used)
        if self._src_mask is not None:
            self._src_mask = self._src_mask[sentences]
        if self._ancestors is not None:
            self._ancestors = self._ancestors[sentences]

    @property
    def _num_used(self) -> int:
        return self._length * self._num_beams

    def _add_self_attention(self, layer: FlatLayer, x: Tensor, read: Tensor) -> None:
        """Add to x what the newest positions `read` of themselves and their past, which they join. [B * K, d_model]."""
        num_used, num_new = self._num_used, self._num_beams
        qkv = mapped(read, layer.qkv).view(-1, num_new, 3, layer.num_heads, layer.d_head)
        queries, *new = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        for room, newest in zip(layer.past, new, strict=True):
            room.narrow(2, num_used - num_new, num_new).copy_(newest)
        past = KeysValues(*(room.narrow(2, 0, num_used) for room in layer.past))
        mask = None if self._ancestors is None else self._ancestors[..., :num_used]
        add_mapped(x, _attended(queries, past, mask), layer.self_output)

    def _add_cross_attention(self, layer: FlatLayer, x: Tensor, read: Tensor) -> None:
        """Add to x what it reads of the memory. [B * K, d_model]."""
        queries = mapped(read, layer.q).view(-1, self._num_beams, layer.num_heads, layer.d_head).transpose(1, 2)
        add_mapped(x, _attended(queries, layer.memory, self._src_mask), layer.cross_output)


def _add_feed_forward(layer: FlatLayer, x: Tensor, read: Tensor) -> None:
    add_mapped(x, layer.activation(mapped(read, layer.inner)), layer.outer)


def _attended(queries: Tensor, read: KeysValues, mask: Tensor | None) -> Tensor:
    """What queries [B, H, K, d_head] read of keys and values [B, H, S, d_head]: [B * K, d_model]."""
    heads = F.scaled_dot_product_attention(queries, read.keys, read.values, mask)
    return heads.transpose(1, 2).reshape(-1, heads.shape[1] * heads.shape[3])


def _normalised(x: Tensor, norm: Affine) -> Tensor:
    return torch.layer_norm(x, norm.weight.shape, norm.weight, norm.bias)


def _linear(module: nn.Linear) -> Affine:
    return Affine(module.weight.t(), module.bias)


def _norm(module: nn.LayerNorm) -> Affine:
    return Affine(module.weight, module.bias)


def _taken(room: Tensor, sentences: Tensor, num_used: int) -> Tensor:
    """The sentences' part of the room, in new room; only its first `num_used` slots hold anything to copy."""
    taken = room.new_empty((len(sentences), *room.shape[1:]))
    torch.index_select(room[:, :, :num_used], 0, sentences, out=taken[:, :, :num_used])
    return taken
