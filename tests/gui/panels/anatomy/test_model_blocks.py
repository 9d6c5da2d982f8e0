"""The numbers of the model diagram are those of the model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.config import ModelConfig
from core.model_size import count_parameters
from gui.panels.anatomy.model_blocks import Stacks, model_blocks
from tests.core.model.builders import VARIANTS, variant_name
from tests.gui.panels.conftest import prepared


def blocks_of(**changes: Any) -> tuple[Stacks, int]:
    """The blocks of a model with these settings, and its number of parameters."""
    sizes = {"d_model": 16, "num_heads": 4, "num_encoder_layers": 2, "num_decoder_layers": 3, "d_ff": 24}
    model = ModelConfig(**(sizes | changes))
    src = 50 if model.tie_embeddings == "all" else 40
    known = replace(
        prepared(),
        config=prepared().config.model_copy(update={"model": model}),
        src_tokens=("a",) * src,
        num_parameters=count_parameters(model, src, 50, 24),
    )
    return model_blocks(known), known.num_parameters


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
def test_the_parameters_of_all_blocks_add_up_to_the_models(variant: dict[str, Any]) -> None:
    stacks, num_parameters = blocks_of(**variant)
    assert stacks.total == num_parameters
    assert all(block.parameters >= 0 for block in (*stacks.encoder, *stacks.decoder))


def test_blocks_have_the_shapes_and_layer_counts_of_the_model() -> None:
    stacks, _ = blocks_of()
    attention = next(block for block in stacks.encoder if block.name == "Self-attention")
    assert (attention.shape, attention.layers, attention.parameters) == ("[S, 16]", 2, 4 * 16 * 17)
    assert [block.name for block in stacks.decoder if block.reads_memory] == ["Cross-attention"]
    assert [(block.name, block.shape) for block in stacks.decoder[-2:]] == [
        ("Linear", "[T, 50]"),
        ("Softmax", "[T, 50]"),
    ]
    assert [block.name for block in stacks.encoder if block.is_memory] == ["Memory"]


@pytest.mark.parametrize(("num_heads", "text"), [(1, "1 head of 16 dimensions: "), (16, "16 heads of 1 dimension: ")])
def test_a_single_head_or_dimension_is_named_as_one(num_heads: int, text: str) -> None:
    stacks, _ = blocks_of(num_heads=num_heads)
    assert any(block.about.startswith(text) for block in stacks.encoder)


def test_the_norm_is_before_or_after_a_sublayer_as_in_the_model() -> None:
    inner = {
        first: [block.name for block in blocks_of(norm_first=first)[0].encoder if block.layers]
        for first in (True, False)
    }
    assert inner[True] == ["LayerNorm", "Self-attention", "LayerNorm", "Feed-forward"]
    assert inner[False] == ["Self-attention", "LayerNorm", "Feed-forward", "LayerNorm"]
