"""Getting and loading weights by name, and the weights that are refused."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from core.errors import UserError
from core.model.weights import load_weights, named_weights
from tests.core.model.builders import VARIANTS, small_inputs, small_model


def test_loaded_weights_give_the_same_outputs() -> None:
    for variant in VARIANTS:
        model, other = small_model(seed=1, **variant), small_model(seed=2, **variant)
        load_weights(other, {name: tensor.clone() for name, tensor in named_weights(model).items()})
        assert torch.equal(other(*small_inputs()), model(*small_inputs()))


def test_names_are_paths_of_modules() -> None:
    names = named_weights(small_model()).keys()
    assert {"src_embedding.tokens.weight", "encoder.layers.0.self_attention.qkv.weight", "output.bias"} <= names
    assert {"decoder.layers.2.cross_attention.kv.weight", "decoder.layers.2.feed_forward.inner.bias"} <= names


@pytest.mark.parametrize(("tied", "absent"), [("decoder", 1), ("all", 2)])
def test_tied_tensors_are_listed_once(tied: str, absent: int) -> None:
    own = named_weights(small_model(tie_embeddings=tied))
    assert len(own) == len(named_weights(small_model())) - absent
    assert len({tensor.data_ptr() for tensor in own.values()}) == len(own)


def without_one(tensors: dict[str, Tensor]) -> None:
    del tensors["decoder.norm.weight"]


def with_another(tensors: dict[str, Tensor]) -> None:
    tensors["encoder.layers.9.feed_forward.inner.weight"] = torch.zeros(1)


def with_another_shape(tensors: dict[str, Tensor]) -> None:
    tensors["output.weight"] = torch.zeros(99, 16)


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (without_one, r"lack the tensor decoder\.norm\.weight\."),
        (with_another, r"hold a tensor this model lacks, encoder\.layers\.9\.feed_forward\.inner\.weight\."),
        (with_another_shape, r"output\.weight has shape \[99, 16\]; this model's has \[13, 16\]"),
    ],
)
def test_weights_that_do_not_fit_are_named_and_change_nothing(
    damage: Callable[[dict[str, Tensor]], None], sentence: str
) -> None:
    model = small_model()
    before = {name: tensor.clone() for name, tensor in named_weights(model).items()}
    tensors = {name: tensor + 1 for name, tensor in before.items()}
    damage(tensors)
    with pytest.raises(UserError, match=sentence):
        load_weights(model, tensors)
    assert all(torch.equal(tensor, before[name]) for name, tensor in named_weights(model).items())


def test_other_dtypes_are_converted() -> None:
    model = small_model()
    load_weights(model, {name: tensor.double() for name, tensor in named_weights(small_model(seed=4)).items()})
    assert model.output.weight.dtype == torch.float32
    assert torch.equal(model.output.weight, small_model(seed=4).output.weight)
