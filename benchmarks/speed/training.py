"""How fast everyone trains: one step each, of the same size on the same data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.speed import limit, ours
from benchmarks.speed.agreement import require_same_loss, same_models
from benchmarks.speed.data import train_batches
from benchmarks.speed.rival import Rival
from benchmarks.speed.rivals import Rivals
from benchmarks.speed.rounds import Contender, Entry
from benchmarks.speed.sizes import Precision, Size
from benchmarks.speed.training_step import training
from core.config import RunConfig
from core.data.batch import Batch
from core.data.prepared_data import PreparedData
from core.machine.processor import has_bfloat16_products
from core.training.trainer import Trainer


class Setting(NamedTuple):
    """The precision of a step, and its number of torch threads."""

    precision: Precision
    threads: int

    def __str__(self) -> str:
        return f"{self.precision}, {self.threads} thread{'s' * (self.threads > 1)}"


def all_settings(max_threads: int) -> list[Setting]:
    """Everything that `auto` can choose from, except for numbers of threads between one and all."""
    precisions: list[Precision] = ["float32", "bfloat16"] if has_bfloat16_products() else ["float32"]
    return [Setting(precision, threads) for precision in precisions for threads in sorted({1, max_threads})]


def contenders(
    size: Size, data: PreparedData, settings: Sequence[Setting], rivals: Rivals, folder: Path
) -> dict[Entry, Contender]:
    """Everyone under each of the settings; ours under the only one, or under what `auto` picks if there are several.

    Raises Disagreement if the same weights do not give the same loss.
    """
    batches = train_batches(data, size)
    trainer = ours.make_trainer(size, data, folder, **_requested(settings))
    _require_agreement(trainer, rivals, batches[0])
    everyone = {Entry(ours.OURS, str(_resolved_setting(trainer.config))): ours.training(trainer)}
    for name, rival in rivals.models.items():
        for setting in settings:
            everyone[Entry(name, str(setting))] = _training(rival, batches, setting)
    for setting in settings:
        products = limit.Products(limit.of_training_step(size), setting.precision)
        everyone[Entry(limit.NAME, str(setting))] = Contender(products.run, setting.threads)
    return everyone


def _require_agreement(trainer: Trainer, rivals: Rivals, batch: Batch) -> None:
    for norm_first in (True, False):
        model = ours.with_norms(trainer, norm_first)
        for name, rival in same_models(rivals.models, model, norm_first=norm_first).items():
            require_same_loss(name, rival, model, batch)


def _requested(settings: Sequence[Setting]) -> dict[str, Any]:
    """The settings in our config: none if there is a choice, so that `auto` makes it."""
    if len(settings) > 1:
        return {}
    return {"precision": settings[0].precision, "num_threads": settings[0].threads}


def _resolved_setting(config: RunConfig) -> Setting:
    training = config.training
    assert training.precision != "auto"  # resolved
    return Setting(training.precision, int(training.num_threads))


def _training(rival: Rival, batches: list[Batch], setting: Setting) -> Contender:
    return Contender(training(rival, batches, setting.precision), setting.threads)
