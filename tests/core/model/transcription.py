"""The paper's equations in float64 numpy, one sentence, one head and one position at a time.

Written from "Attention Is All You Need" (Vaswani et al. 2017) to be read beside it; it shares only the names of the
weights with core.model. GELU is that of Hendrycks and Gimpel, pre-norm that of Xiong et al.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.config import ModelConfig

Array = NDArray[np.float64]
EPSILON = 1e-5  # of LayerNorm


@dataclass
class Paper:
    """A Transformer as equations, for one sentence without padding; it records attention weights by kind and layer."""

    config: ModelConfig
    weights: dict[str, Array]
    attention: dict[str, list[Array]] = field(
        default_factory=lambda: {"encoder_self": [], "decoder_self": [], "cross": []}
    )

    def logits(self, src: list[int], tgt_input: list[int]) -> Array:
        memory = self.embed("src", src)
        for layer in range(self.config.num_encoder_layers):
            memory = self.encoder_layer(f"encoder.layers.{layer}", memory)
        if self.config.norm_first:
            memory = self.norm("encoder.norm", memory)
        x = self.embed("tgt", tgt_input)
        for layer in range(self.config.num_decoder_layers):
            x = self.decoder_layer(f"decoder.layers.{layer}", x, memory)
        if self.config.norm_first:
            x = self.norm("decoder.norm", x)
        tied = {"none": "output.weight", "decoder": "tgt_embedding.tokens.weight", "all": "src_embedding.tokens.weight"}
        return x @ self.weights[tied[self.config.tie_embeddings]].T + self.bias("output.bias")

    def embed(self, side: str, ids: list[int]) -> Array:
        """Section 3.4: the embedding times sqrt(d_model); section 3.5: plus the positional encoding."""
        owner = "src" if self.config.tie_embeddings == "all" else side
        table = self.weights[f"{owner}_embedding.tokens.weight"]
        d_model = self.config.d_model
        rows = []
        for position, token in enumerate(ids):
            if self.config.positions == "learned":
                position_vector = self.weights[f"{side}_embedding.positions.weight"][position]
            else:
                position_vector = np.zeros(d_model)
                for i in range(d_model // 2):
                    angle = position / 10000 ** (2 * i / d_model)
                    position_vector[2 * i], position_vector[2 * i + 1] = math.sin(angle), math.cos(angle)
            rows.append(table[token] * math.sqrt(d_model) + position_vector)
        return np.stack(rows)

    def encoder_layer(self, name: str, x: Array) -> Array:
        x = self.residual(f"{name}.self_attention_norm", x, lambda y: self.self_attention(name, y, causal=False))
        return self.residual(f"{name}.feed_forward_norm", x, lambda y: self.feed_forward(f"{name}.feed_forward", y))

    def decoder_layer(self, name: str, x: Array, memory: Array) -> Array:
        x = self.residual(f"{name}.self_attention_norm", x, lambda y: self.self_attention(name, y, causal=True))
        x = self.residual(f"{name}.cross_attention_norm", x, lambda y: self.cross_attention(name, y, memory))
        return self.residual(f"{name}.feed_forward_norm", x, lambda y: self.feed_forward(f"{name}.feed_forward", y))

    def residual(self, norm: str, x: Array, sublayer: Callable[[Array], Array]) -> Array:
        """Section 3.1: LayerNorm(x + Sublayer(x)); with pre-norm, x + Sublayer(LayerNorm(x))."""
        if self.config.norm_first:
            return x + sublayer(self.norm(norm, x))
        return self.norm(norm, x + sublayer(x))

    def self_attention(self, layer: str, x: Array, causal: bool) -> Array:
        name = f"{layer}.self_attention"
        d = self.config.d_model
        projection, bias = self.weights[f"{name}.qkv.weight"], self.bias(f"{name}.qkv.bias", 3 * d)
        q, k, v = (x @ projection[i * d : (i + 1) * d].T + bias[i * d : (i + 1) * d] for i in range(3))
        return self.multi_head(name, "decoder_self" if causal else "encoder_self", q, k, v, causal)

    def cross_attention(self, layer: str, x: Array, memory: Array) -> Array:
        name = f"{layer}.cross_attention"
        d = self.config.d_model
        kv, kv_bias = self.weights[f"{name}.kv.weight"], self.bias(f"{name}.kv.bias", 2 * d)
        q = x @ self.weights[f"{name}.q.weight"].T + self.bias(f"{name}.q.bias")
        k, v = memory @ kv[:d].T + kv_bias[:d], memory @ kv[d:].T + kv_bias[d:]
        return self.multi_head(name, "cross", q, k, v, causal=False)

    def multi_head(self, name: str, kind: str, q: Array, k: Array, v: Array, causal: bool) -> Array:
        """Section 3.2.2, with the attention of section 3.2.1 in each head."""
        num_heads, d_head = self.config.num_heads, self.config.d_model // self.config.num_heads
        read = np.zeros_like(q)
        weights = np.zeros((num_heads, len(q), len(k)))
        for head in range(num_heads):
            columns = slice(head * d_head, (head + 1) * d_head)
            for t in range(len(q)):
                seen = t + 1 if causal else len(k)
                scores = [float(q[t, columns] @ k[s, columns]) / math.sqrt(d_head) for s in range(seen)]
                highest = max(scores)
                exponentials = np.array([math.exp(score - highest) for score in scores])
                weights[head, t, :seen] = exponentials / exponentials.sum()
                read[t, columns] = weights[head, t] @ v[:, columns]
        self.attention[kind].append(weights)
        return read @ self.weights[f"{name}.output.weight"].T + self.bias(f"{name}.output.bias")

    def feed_forward(self, name: str, x: Array) -> Array:
        """Section 3.3."""
        inner = x @ self.weights[f"{name}.inner.weight"].T + self.bias(f"{name}.inner.bias")
        if self.config.activation == "relu":
            inner = np.maximum(inner, 0.0)
        else:
            inner = inner * np.vectorize(lambda z: 0.5 * (1.0 + math.erf(z / math.sqrt(2.0))))(inner)
        return inner @ self.weights[f"{name}.outer.weight"].T + self.bias(f"{name}.outer.bias")

    def norm(self, name: str, x: Array) -> Array:
        """Ba et al. 2016: normalise each position to mean 0 and variance 1, then apply gain and bias."""
        rows = []
        for row in x:
            variance = float(((row - row.mean()) ** 2).mean())
            normal = (row - row.mean()) / math.sqrt(variance + EPSILON)
            rows.append(normal * self.weights[f"{name}.weight"] + self.bias(f"{name}.bias"))
        return np.stack(rows)

    def bias(self, name: str, size: int = 1) -> Array:
        return self.weights[name] if self.config.bias else np.zeros(size)
