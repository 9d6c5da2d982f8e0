"""The memory that is asked for before a model is built is what it then takes."""

from __future__ import annotations

import gc

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
    trainer = make_trainer(max_steps=1, **settings)
    finish(trainer.run())
    num_weights = num_parameters(trainer.config, trainer.data)
    storages = {
        (storage := one.untyped_storage()).data_ptr(): storage.nbytes()
        for one in gc.get_objects()
        if type(one) is torch.Tensor
    }
    taken = sum(size for size in storages.values() if size in (2 * num_weights, 4 * num_weights))
    assert taken == model_bytes(trainer.config, trainer.data)
