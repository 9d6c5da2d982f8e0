"""`python -m benchmarks.speed.peers.ctranslate2_server FOLDER`: decodes what stdin asks for, one line of JSON each."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import ctranslate2
import numpy as np
from ctranslate2.specs import TransformerSpec
from numpy.typing import NDArray
from safetensors.numpy import load_file

from benchmarks.speed.sizes import OUTPUT_LENGTH

Weights = Mapping[str, NDArray[np.float32]]


def build(folder: Path) -> None:
    """Write CTranslate2's model from the weights and vocabularies in `folder`."""
    described = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    weights = load_file(folder / "weights.safetensors")
    spec = TransformerSpec.from_config(described["num_layers"], described["num_heads"], pre_norm=True)
    spec.register_source_vocabulary(described["src"])
    spec.register_target_vocabulary(described["tgt"])
    spec.config.bos_token = spec.config.decoder_start_token = "<bos>"
    spec.config.eos_token, spec.config.unk_token = "<eos>", "<unk>"
    _fill_stack(spec.encoder, _below(weights, "encoder"))
    _fill_stack(spec.decoder, _below(weights, "decoder"))
    spec.encoder.embeddings[0].weight = weights["src_embedding.tokens.weight"]
    spec.decoder.embeddings.weight = weights["tgt_embedding.tokens.weight"]
    spec.encoder.position_encodings.encodings = weights["positions"]
    spec.decoder.position_encodings.encodings = weights["positions"]
    _fill_linear(spec.decoder.projection, weights, "output")
    spec.validate()
    spec.optimize()
    spec.save(str(folder))


def _fill_stack(spec: Any, weights: Weights) -> None:
    _fill_norm(spec.layer_norm, weights, "norm")
    for number, layer in enumerate(spec.layer):
        own = _below(weights, f"layers.{number}")
        _fill_attention(layer.self_attention, own, "self_attention", fused=("qkv", "output"))
        if hasattr(layer, "attention"):
            _fill_attention(layer.attention, own, "cross_attention", fused=("q", "kv", "output"))
        _fill_norm(layer.ffn.layer_norm, own, "feed_forward_norm")
        _fill_linear(layer.ffn.linear_0, own, "feed_forward.inner")
        _fill_linear(layer.ffn.linear_1, own, "feed_forward.outer")


def _fill_attention(spec: Any, weights: Weights, name: str, fused: tuple[str, ...]) -> None:
    _fill_norm(spec.layer_norm, weights, f"{name}_norm")
    for linear, parts in zip(spec.linear, fused, strict=True):
        names = [parts] if parts == "output" else list(parts)
        linear.weight = np.concatenate([weights[f"{name}.{part}.weight"] for part in names])
        linear.bias = np.concatenate([weights[f"{name}.{part}.bias"] for part in names])


def _fill_linear(spec: Any, weights: Weights, name: str) -> None:
    spec.weight, spec.bias = weights[f"{name}.weight"], weights[f"{name}.bias"]


def _fill_norm(spec: Any, weights: Weights, name: str) -> None:
    spec.gamma, spec.beta = weights[f"{name}.weight"], weights[f"{name}.bias"]


def _below(weights: Weights, prefix: str) -> Weights:
    start = f"{prefix}."
    return {name.removeprefix(start): array for name, array in weights.items() if name.startswith(start)}


@cache
def translator(folder: str, workers: int, threads: int) -> ctranslate2.Translator:
    """The translator, loaded when first asked for."""
    return ctranslate2.Translator(folder, inter_threads=workers, intra_threads=threads, compute_type="float32")


def serve(folder: Path) -> None:
    """Answer each line of stdin with the tokens written for its sources, until stdin ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        results = translator(str(folder), asked["workers"], asked["threads"]).translate_batch(
            asked["sources"],
            beam_size=asked["beam_size"],
            max_batch_size=-(-len(asked["sources"]) // asked["workers"]),
            max_decoding_length=OUTPUT_LENGTH,
            min_decoding_length=OUTPUT_LENGTH,
        )
        print(json.dumps([result.hypotheses[0] for result in results]), flush=True)


if __name__ == "__main__":
    build(Path(sys.argv[1]))
    serve(Path(sys.argv[1]))
