"""The moving average of the weights: its recurrence, its use in place of the newest weights, saving and resuming."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from core.events import StepsDone
from core.model.weights import named_weights
from core.training.trainer import Trainer
from tests.core.training.small_runs import MakeTrainer, finish


def flat(tensors: dict[str, torch.Tensor]) -> NDArray[np.float64]:
    return torch.cat([tensor.flatten() for tensor in tensors.values()]).double().numpy()


def trained(trainer: Trainer) -> NDArray[np.float64]:
    return flat(named_weights(trainer._updater.model))


def test_it_equals_the_recurrence_in_float64(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(ema_decay=0.6, max_steps=40, optimizer={"learning_rate": 0.05})
    expected, seen = trained(trainer), 0
    for _ in trainer.run():
        if trainer.step > seen:
            seen = trainer.step
            decay = min(0.6, (1 + seen) / (10 + seen))  # 0.6 from step 13 on
            expected = decay * expected + (1 - decay) * trained(trainer)
            np.testing.assert_allclose(flat(named_weights(trainer.model)), expected, rtol=1e-5, atol=1e-7)
    assert seen == 40
    assert np.abs(expected - trained(trainer)).max() > 1e-3
    average = flat(named_weights(trainer.model))
    assert trainer._average is not None
    trainer._updater.optimizer.found_inf.fill_(1.0)  # as after a step that the optimizer refused
    trainer._average.update(41)
    np.testing.assert_array_equal(flat(named_weights(trainer.model)), average)


def test_training_is_the_same_with_and_without_averaging(make_trainer: MakeTrainer) -> None:
    with_average, plain = make_trainer(ema_decay=0.9), make_trainer()
    losses = []
    for trainer in (with_average, plain):
        events, _ = finish(trainer.run())
        losses.append(np.concatenate([e.arrays["train/loss"] for e in events if isinstance(e, StepsDone)]))
    np.testing.assert_array_equal(losses[0], losses[1])
    np.testing.assert_array_equal(trained(with_average), trained(plain))


def test_the_average_is_validated_and_saved(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(ema_decay=0.9, validate_every=12)
    finish(trainer.run())
    (validated,) = trainer.folder.validation_metrics().values()
    for kept in (trainer.folder.weights(12), trainer.folder.read_snapshot(12)):
        assert all(
            np.array_equal(kept[name], average.numpy()) for name, average in named_weights(trainer.model).items()
        )
    assert finish(trainer.evaluate("valid", trainer.config.decoding))[1].metrics["loss"] == validated["valid/loss"]
    with torch.no_grad():
        trainer._updater.optimizer.parameters.values.zero_()  # evaluation must not use the newest weights
    assert finish(trainer.evaluate("valid", trainer.config.decoding))[1].metrics["loss"] == validated["valid/loss"]


def test_resuming_restores_the_average_and_the_newest_weights(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(ema_decay=0.9)
    finish(trainer.run())
    resumed = make_trainer(folder=trainer.folder, ema_decay=0.9)
    resumed.restore(resumed.folder.checkpoint(12))
    np.testing.assert_array_equal(trained(resumed), trained(trainer))
    np.testing.assert_array_equal(flat(named_weights(resumed.model)), flat(named_weights(trainer.model)))
    assert not np.array_equal(trained(resumed), flat(named_weights(resumed.model)))
    kept = {name: weight + 1.0 for name, weight in named_weights(trainer.model).items()}
    resumed.start_from(kept, 12)  # as a branch from a snapshot does, which has no other weights
    np.testing.assert_array_equal(trained(resumed), flat(kept))
    np.testing.assert_array_equal(flat(named_weights(resumed.model)), flat(kept))
