"""Who trains how fast: one step each, of the same size on the same data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from torch import nn

from benchmarks.speed import ours
from benchmarks.speed.agreement import require_same_loss, share_weights
from benchmarks.speed.data import train_batches
from benchmarks.speed.rounds import Contender, Entry
from benchmarks.speed.sizes import Precision, Size
from benchmarks.speed.textbook import Textbook
from benchmarks.speed.torch_transformer import TorchTransformer
from benchmarks.speed.training_step import mean_loss, trained
from core.config import RunConfig
from core.data.batching import Batch
from core.data.prepared_data import PreparedData

OURS, TEXTBOOK, NN_TRANSFORMER = "Headlight", "textbook", "nn.Transformer"
LESS_DROPOUT = "textbook, dropout only where we have it"


class Setting(NamedTuple):
    """What a step is computed in, and with how many threads of torch."""

    precision: Precision
    threads: int

    def __str__(self) -> str:
        return f"{self.precision}, {self.threads} thread{'s' * (self.threads > 1)}"


def all_settings(most_threads: int) -> list[Setting]:
    """Everything that `auto` can choose from, but for the numbers of threads between one and all."""
    counts = sorted({1, most_threads})
    return [Setting(precision, threads) for precision in ("float32", "bfloat16") for threads in counts]


def contenders(size: Size, data: PreparedData, settings: Sequence[Setting], folder: Path) -> dict[Entry, Contender]:
    """Everyone under each of the settings; ours under the only one, or under what `auto` picks among several.

    Raises Disagreement where the same weights do not give the same loss.
    """
    batches = train_batches(data, size)
    trainer = ours.make_trainer(size, data, folder, **_asked(settings))
    models: dict[str, Textbook | TorchTransformer] = {
        TEXTBOOK: Textbook(size),
        LESS_DROPOUT: Textbook(size, inner_dropout=0.0),
        NN_TRANSFORMER: TorchTransformer(size),
    }
    share_weights(trainer, models)
    require_same_loss(trainer, batches[0], models)
    everyone = {Entry(OURS, str(_picked(trainer.config))): ours.training(trainer)}
    for name, model in models.items():
        for setting in settings:
            everyone[Entry(name, str(setting))] = _training(model, batches, setting)
    return everyone


def _asked(settings: Sequence[Setting]) -> dict[str, Any]:
    """What our config says: nothing where there is a choice, so that `auto` makes it."""
    if len(settings) > 1:
        return {}
    return {"precision": settings[0].precision, "num_threads": settings[0].threads}


def _picked(config: RunConfig) -> Setting:
    training = config.training
    assert training.precision != "auto"  # resolved
    return Setting(training.precision, int(training.num_threads))


def _training(model: nn.Module, batches: list[Batch], setting: Setting) -> Contender:
    step = trained(model, lambda batch: mean_loss(model(batch), batch), batches, setting.precision)
    return Contender(step, setting.threads)
