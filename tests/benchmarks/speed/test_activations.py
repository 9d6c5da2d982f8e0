"""The computed size of the activations, compared with what Headlight's forward pass really holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from benchmarks.speed import activations
from benchmarks.speed.data import prepare, train_batches
from benchmarks.speed.settings import document
from benchmarks.speed.sizes import TINY, Precision, Size
from core.config import ModelConfig
from core.model.transformer import Transformer
from core.training.flat_parameters import FlatParameters
from core.training.passes.transformer import TransformerPass
from core.training.passes.weights import Weights

WIDE = replace(TINY, d_model=64, d_ff=256, batch_size=16)
LONG = replace(WIDE, length=100, batch_size=2)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("size", [WIDE, LONG])
def test_the_computed_size_is_that_of_the_tensors_held(size: Size, precision: Precision, tmp_path: Path) -> None:
    """Except token ids and LayerNorm's mean and deviation of each row. Attention of LONG is fused in float32."""
    expected = held_after_forward(size, torch.float32 if precision == "float32" else torch.bfloat16, tmp_path)
    assert activations.bytes_of(size, precision) == pytest.approx(expected, rel=0.01)


def held_after_forward(size: Size, dtype: torch.dtype, folder: Path) -> int:
    """The bytes of all tensors held after the forward pass, including its result but not the weights."""
    batch = train_batches(prepare(size, folder), size)[0]
    config = ModelConfig.model_validate(document(size)["model"])
    model = Transformer(config, size.vocab_size, size.vocab_size, size.length)
    weights = Weights(model, FlatParameters(model), dtype)
    transformer = TransformerPass(model, weights)
    before = {tensor.untyped_storage().data_ptr() for tensor in tensors_of([transformer, weights], set())}
    with torch.no_grad():
        hidden = transformer.forward(batch)
    storages = [tensor.untyped_storage() for tensor in tensors_of([transformer, hidden], set())]
    return sum(
        {storage.data_ptr(): storage.nbytes() for storage in storages if storage.data_ptr() not in before}.values()
    )


def tensors_of(values: Iterable[object], seen: set[int]) -> Iterator[torch.Tensor]:
    """Yield every tensor that can be reached from these objects through tuples, lists and classes of the passes."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, list | tuple):
            yield from tensors_of(value, seen)
        elif type(value).__module__.startswith("core.training.passes") and id(value) not in seen:
            seen.add(id(value))
            yield from tensors_of(vars(value).values(), seen)
