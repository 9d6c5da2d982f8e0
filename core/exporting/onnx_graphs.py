"""Exports a run's model as two ONNX graphs: the encoder, and one step of the decoder with its key-value cache.

Needs the extra `headlight[onnx]`. Shapes: B sentences, S source tokens, T target tokens read so far, L decoder layers,
H heads, V target tokens. A sentence is decoded by running `decoder_step` from an empty past on: see docs/onnx.md.
"""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

import torch
from torch import Tensor, nn

from core.data.prepared_data import PreparedData
from core.data.special_tokens import EOS_ID
from core.errors import UserError
from core.exporting.extras import not_installed
from core.model.attention import KeysValues, SelfAttention
from core.model.masks import padding_mask
from core.model.transformer import Transformer
from core.model.weights import load_weights
from core.model_size import model_sizes, require_same_size
from core.run_files.write_errors import reporting_write_errors
from core.run_folder import RunFolder, Weights
from core.training.checkpoint import to_tensors

_TEMPORARY_ADVICE = "Free some space there, or set TMPDIR to another folder; `ulimit -f` may limit a file's size."
_OPSET = 17  # the first with LayerNormalization


class Encoder(nn.Module):
    """src int64 [B, S] and src_mask bool [B, S] -> memory [L, 2, B, H, S, d_head]: keys and values for each layer."""

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.model = model

    def forward(self, src: Tensor, src_mask: Tensor) -> Tensor:
        memory = self.model.encode(src, src_mask)
        layers = [torch.stack(layer.cross_attention.keys_values(memory)) for layer in self.model.decoder]
        return torch.stack(layers)


class DecoderStep(nn.Module):
    """Each sentence's newest token, int64 [B] -> logits [B, V] of the next, and the past with this token added.

    Its other inputs are past [L, 2, B, H, T, d_head] (T = 0 at first, where the tokens are `<bos>`), and the encoder's
    memory and src_mask; the past that it returns has T + 1.
    """

    def __init__(self, model: Transformer) -> None:
        """Changes the model: its decoder's self-attention keeps a cache from here on."""
        super().__init__()
        self.model = model
        for layer in model.decoder:
            layer.self_attention = CachedSelfAttention(layer.self_attention)  # type: ignore[assignment]

    def forward(self, tokens: Tensor, past: Tensor, memory: Tensor, src_mask: Tensor) -> tuple[Tensor, Tensor]:
        embedding, position = self.model.tgt_embedding, past.shape[4]
        encoding = embedding.positions(self.model.max_positions)[position : position + 1]
        x = encoding + embedding.tokens(tokens[:, None]) * embedding.scale
        mask, present = padding_mask(src_mask), []
        for number, layer in enumerate(self.model.decoder):
            attention = layer.self_attention
            assert isinstance(attention, CachedSelfAttention)
            attention.past = KeysValues(past[number, 0], past[number, 1])
            x = layer(x, mask, KeysValues(memory[number, 0], memory[number, 1]), mask)
            present.append(torch.stack(attention.past))
        return self.model.project(self.model.decoder.norm(x))[:, 0], torch.stack(present)


class CachedSelfAttention(nn.Module):
    """Self-attention of the newest token to itself and those before it, whose keys and values `past` holds."""

    past: KeysValues

    def __init__(self, attention: SelfAttention) -> None:
        super().__init__()
        self.attention = attention

    def forward(self, x: Tensor, _: Tensor) -> Tensor:
        """[B, 1, d_model] -> [B, 1, d_model]; no mask is needed, since there is no later token."""
        queries, *newest = self.attention.split_heads(self.attention.qkv(x), 3)
        self.past = KeysValues(*(torch.cat(pair, dim=2) for pair in zip(self.past, newest, strict=True)))
        return self.attention.attend(queries, self.past, None)


def onnx_graphs(run: RunFolder, step: int, weights: Weights) -> dict[str, bytes]:
    """File name -> graph, for a run's model with these weights, of `step`. Raises UserError if the extra is missing, or
    the weights are not this model's.
    """
    if find_spec("onnx") is None:
        raise not_installed("onnx", "`export --format onnx`")
    return graphs_of(_model(run, step, weights))


def _model(run: RunFolder, step: int, weights: Weights) -> Transformer:
    config, data = run.config(), PreparedData.from_document(run.vocabulary(), run.subword_models())
    require_same_size(run.path, step, weights, config, data)
    model = Transformer(config.model, *model_sizes(config, data))
    load_weights(model, to_tensors(weights))
    return model


def graphs_of(model: Transformer) -> dict[str, bytes]:
    """File name -> graph, for a model, which is changed and cannot be used afterwards."""
    model.eval()
    length = min(3, model.max_positions)
    src, src_mask = torch.full((2, length), EOS_ID), torch.ones(2, length, dtype=torch.bool)  # an id of any vocabulary
    with torch.no_grad():
        encoder, memory = Encoder(model), Encoder(model)(src, src_mask)
        sentences, source = {0: "batch", 1: "source"}, {2: "batch", 4: "source"}
        encoder_graph = _graph(
            encoder, {"src": (src, sentences), "src_mask": (src_mask, sentences)}, {"memory": source}
        )
        step_graph = _graph(
            DecoderStep(model),
            {
                "tokens": (torch.tensor([1, 1]), {0: "batch"}),
                "past": (memory[..., : length - 1, :], {2: "batch", 4: "past"}),
                "memory": (memory, source),
                "src_mask": (src_mask, sentences),
            },
            {"logits": {0: "batch"}, "present": {2: "batch", 4: "present"}},
        )
    return {"encoder.onnx": encoder_graph, "decoder_step.onnx": step_graph}


def _graph(
    module: nn.Module, inputs: dict[str, tuple[Tensor, dict[int, str]]], outputs: dict[str, dict[int, str]]
) -> bytes:
    """Trace a module. Inputs are examples, with names for the dimensions that vary."""
    with (
        reporting_write_errors(Path(gettempdir()), advice=_TEMPORARY_ADVICE, error_type=UserError),
        TemporaryDirectory() as folder,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # the tracer's: lengths are checked in Python, which a graph cannot do
        torch.onnx.export(
            module,
            tuple(example for example, _ in inputs.values()),
            path := Path(folder) / "graph.onnx",
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes={name: axes for name, (_, axes) in inputs.items()} | outputs,
            opset_version=_OPSET,
            dynamo=False,
        )
        return path.read_bytes()
