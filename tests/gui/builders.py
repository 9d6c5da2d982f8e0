"""Probed sentences with regular values, for panels that are drawn without an engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.probes import Feed, ProbedSentence

GOLD = ((1, 0), (0, 1), (1, 1))  # source with target: "i" with "will"; "want" with both


def attention(layers: int, heads: int, queries: int, keys: int) -> NDArray[np.float16]:
    """Attention weights [L, H, queries, keys] whose maximum differs from head to head."""
    weights = np.full((layers, heads, queries, keys), 0.1)
    for layer, head, query in np.ndindex(layers, heads, queries):
        weights[layer, head, query, (layer + head + query) % keys] = 1.0
    return (weights / weights.sum(-1, keepdims=True)).astype(np.float16)


def feed(output: tuple[str, ...], sources: int, layers: int = 2, heads: int = 4) -> Feed:
    """The predictions of a decoder that wrote `output`, each token with probability 0.6, and three runners-up."""
    length = len(output)
    return Feed(
        tgt_input=("<bos>", *output[:-1]),
        tgt_output=output,
        output_probability=np.full(length, 0.6, np.float32),
        output_rank=np.zeros(length, np.int32),
        top_tokens=tuple((token, "beer", "cake", "soup") for token in output),
        top_probability=np.tile(np.array([0.6, 0.2, 0.1, 0.05], np.float32), (length, 1)),
        decoder_self=attention(layers, heads, length, length),
        cross=attention(layers, heads, length, sources),
    )


def sentence(source: str = "ich will", *, has_reference: bool = True) -> ProbedSentence:
    """A probed sentence of a model with two encoder and two decoder layers of four heads."""
    tokens = (*source.split(), "<eos>")
    return ProbedSentence(
        source=source,
        src_tokens=tokens,
        reference="i want" if has_reference else None,
        output="i want",
        alignment=(),
        encoder_self=attention(2, 4, len(tokens), len(tokens)),
        by_reference=feed(("i", "want", "<eos>"), len(tokens)) if has_reference else None,
        free_running=feed(("i", "do", "want", "<eos>"), len(tokens)),
    )


def aligned_sentence(reads: tuple[int, int, int] = (1, 0, 2)) -> ProbedSentence:
    """A sentence with gold alignments: layer 2 head 3 reads the source tokens `reads`, all other heads `<eos>`."""
    made = replace(sentence(), alignment=GOLD)
    assert made.by_reference is not None
    cross = np.zeros_like(made.by_reference.cross)
    cross[..., 2] = 1.0
    cross[1, 2] = np.eye(3)[list(reads)]
    return replace(made, by_reference=replace(made.by_reference, cross=cross))


def diverged(shown: ProbedSentence) -> ProbedSentence:
    """The sentence as a diverged model sees it: no attention weight and no probability is a number."""
    return replace(
        shown,
        encoder_self=np.full_like(shown.encoder_self, np.nan),
        by_reference=None if shown.by_reference is None else _diverged_feed(shown.by_reference),
        free_running=_diverged_feed(shown.free_running),
    )


def _diverged_feed(made: Feed) -> Feed:
    return replace(
        made,
        **{
            name: np.full_like(getattr(made, name), np.nan)
            for name in ("output_probability", "top_probability", "decoder_self", "cross")
        },
    )
