"""The memory that is asked for before a model is built is what it then takes."""

from __future__ import annotations

import gc
from collections.abc import Sequence

import pytest
import torch

from core.model_size import num_parameters
from core.training.memory import model_bytes
from tests.core.training.small_runs import MakeTrainer, finish


@pytest.mark.parametrize(
    "settings",
    [{"optimizer": {"name": "sgd"}}, {"ema_decay": 0.9}, {"accumulate_steps": 3}, {"precision": "bfloat16"}],
)
def test_a_model_takes_the_bytes_that_were_counted(make_trainer: MakeTrainer, settings: dict[str, object]) -> None:
    before = living_tensors()  # of other tests; held until the end, so that no new tensor takes the place of one
    trainer = make_trainer(max_steps=1, **settings)
    finish(trainer.run())
    num_weights = num_parameters(trainer.config, trainer.data)
    sizes = sizes_of(living_tensors())
    new = [sizes[place] for place in sizes.keys() - sizes_of(before).keys()]
    taken = sum(size for size in new if size in (2 * num_weights, 4 * num_weights))
    assert taken == model_bytes(trainer.config, trainer.data)


def living_tensors() -> list[torch.Tensor]:
    return [one for one in gc.get_objects() if type(one) is torch.Tensor]


def sizes_of(tensors: Sequence[torch.Tensor]) -> dict[int, int]:
    """The bytes of each storage, by its address."""
    storages = (one.untyped_storage() for one in tensors)
    return {storage.data_ptr(): storage.nbytes() for storage in storages}
