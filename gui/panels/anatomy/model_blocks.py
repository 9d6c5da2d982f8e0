"""The parts of a run's model, from its input upwards: what each does, its shape, its number of parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.config import ModelConfig
from core.events import Prepared
from core.model_size import parameter_breakdown, sublayer_parameters


@dataclass(frozen=True, kw_only=True)
class Block:
    """One box of the diagram. In a repeated layer, `parameters` are those of one layer."""

    name: str
    shape: str  # of its output, for S source tokens and T target tokens
    parameters: int
    about: str
    layers: int = 0  # how many layers have this box; 0: it is in no layer
    is_memory: bool = False
    reads_memory: bool = False
    skips: int = 0  # how many boxes, from this one up, the residual connection bypasses

    @property
    def total(self) -> int:
        """The parameters in all its layers."""
        return self.parameters * max(self.layers, 1)


@dataclass(frozen=True)
class Stacks:
    """The diagram's two columns, each from the bottom up; the parameters of all boxes add up to the model's."""

    encoder: tuple[Block, ...]
    decoder: tuple[Block, ...]

    @property
    def columns(self) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
        return self.encoder, self.decoder

    @property
    def total(self) -> int:
        return sum(block.total for column in self.columns for block in column)


def model_blocks(prepared: Prepared) -> Stacks:
    """The boxes of this model."""
    model, src, tgt = prepared.config.model, len(prepared.src_tokens), len(prepared.tgt_tokens)
    known = parameter_breakdown(model, src, tgt, max_positions=0)
    learned = model.positions == "learned"
    positions = (prepared.num_parameters - sum(known.values())) // 2 if learned else 0  # on each side
    shared = model.tie_embeddings == "all"
    encoder = [
        *_input(model, "S", "source", src * model.d_model, f"{src:,} tokens", positions),
        *_encoder_layer(model),
        *_last(model, "S", is_memory=True),
    ]
    tgt_about = "the source's own vectors, shared" if shared else f"{tgt:,} tokens"
    decoder = [
        *_input(model, "T", "target so far", 0 if shared else tgt * model.d_model, tgt_about, positions),
        *_decoder_layer(model),
        *_last(model, "T", is_memory=False),
        _output(model, tgt, known["output"]),
        _block("Softmax", f"[T, {tgt}]", 0, "The logits as probabilities of each token to come next."),
    ]
    return Stacks(tuple(encoder), tuple(decoder))


def _block(name: str, shape: str, parameters: int, about: str) -> Block:
    return Block(name=name, shape=shape, parameters=parameters, about=about)


def _input(model: ModelConfig, length: str, side: str, parameters: int, tokens: str, positions: int) -> Iterator[Block]:
    shape = f"[{length}, {model.d_model}]"
    yield _block(f"Tokens of the {side}", f"[{length}]", 0, f"{length} numbers: each token's index in the vocabulary.")
    about = f"A learned vector for each token ({tokens}), times √{model.d_model}."
    yield _block("Embedding", shape, parameters, about)
    kind = "A learned vector for each position" if positions else "Fixed sines and cosines of each position"
    yield _block("+ positions", shape, positions, f"{kind}, added to the tokens' vectors.")


def _encoder_layer(model: ModelConfig) -> Iterator[Block]:
    layers = model.num_encoder_layers
    yield from _sublayer(model, "S", layers, _attention(model, "Self-attention", "each source token reads all of them"))
    yield from _sublayer(model, "S", layers, _feed_forward(model))


def _decoder_layer(model: ModelConfig) -> Iterator[Block]:
    layers = model.num_decoder_layers
    masked = _attention(model, "Masked self-attention", "every target token reads itself and those before it")
    yield from _sublayer(model, "T", layers, masked)
    cross = _attention(model, "Cross-attention", "every target token reads the memory of the source")
    yield from _sublayer(model, "T", layers, cross, reads_memory=True)
    yield from _sublayer(model, "T", layers, _feed_forward(model))


Sublayer = tuple[str, int, str]  # name, parameters, what it does


def _sublayer(
    model: ModelConfig, length: str, layers: int, sublayer: Sublayer, *, reads_memory: bool = False
) -> Iterator[Block]:
    """The sublayer and its LayerNorm. Pre-norm: the norm is below, and the residual connection bypasses both.

    Post-norm: the norm is above, and the residual connection bypasses only the sublayer.
    """
    name, parameters, about = sublayer
    shape = f"[{length}, {model.d_model}]"
    first = model.norm_first
    here = " Before the sublayer: pre-norm; in the paper it comes after." if first else ""
    into = "into the LayerNorm below" if first else "in"
    norm = Block(
        name="LayerNorm",
        shape=shape,
        parameters=sublayer_parameters(model)["norm"],
        about=f"Each vector scaled and shifted to mean 0 and variance 1, then by learned numbers.{here}",
        layers=layers,
        skips=2 if first else 0,
    )
    itself = Block(
        name=name,
        shape=shape,
        parameters=parameters,
        about=f"{about} Its result is added to what went {into}: the residual connection.",
        layers=layers,
        reads_memory=reads_memory,
        skips=0 if first else 1,
    )
    yield from (norm, itself) if first else (itself, norm)


def _attention(model: ModelConfig, name: str, reads: str) -> Sublayer:
    d_head = model.d_model // model.num_heads
    heads = f"{model.num_heads} head{'s' * (model.num_heads != 1)}"
    about = f"{heads} of {d_head} dimension{'s' * (d_head != 1)}: {reads}."
    return name, sublayer_parameters(model)["attention"], about


def _feed_forward(model: ModelConfig) -> Sublayer:
    about = f"Each vector separately: to {model.d_ff} dimensions, {model.activation}, and back to {model.d_model}."
    return "Feed-forward", sublayer_parameters(model)["feed_forward"], about


def _last(model: ModelConfig, length: str, *, is_memory: bool) -> Iterator[Block]:
    """The end of a stack: with pre-norm a LayerNorm, and for the encoder the memory."""
    shape = f"[{length}, {model.d_model}]"
    if model.norm_first:
        norm = sublayer_parameters(model)["norm"]
        about = "After the last layer: with pre-norm nothing else normalises the sum of all sublayers' results."
        yield _block("LayerNorm", shape, norm, about)
    if is_memory:
        about = "The encoder's output for each source token, which the decoder's cross-attention reads."
        yield Block(name="Memory", shape=shape, parameters=0, about=about, is_memory=True)


def _output(model: ModelConfig, tgt: int, parameters: int) -> Block:
    tied = "" if model.tie_embeddings == "none" else " Its matrix is the target's embedding, shared."
    return _block("Linear", f"[T, {tgt}]", parameters, f"A logit for each of {tgt:,} target tokens.{tied}")
