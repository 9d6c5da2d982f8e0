"""Records the events of small runs of the real trainer, with planted faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.config import RunConfig
from core.data.preparation import prepare_data
from core.events import Event, SettingChanged
from core.model.transformer import Transformer
from core.plugins_host.host import PluginHost
from core.run_folder import RunFolder
from core.serving.current_run import CurrentRun
from core.training.resolve import resolve
from core.training.trainer import Trainer
from tests.core.training.small_runs import finish

MODEL = {"d_model": 32, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1, "d_ff": 32, "dropout": 0.0}


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Settings of a small run, and a fault planted into its model; without these it would learn to copy letters."""

    plugin: str = "tiny_copy"
    rate: float = 5e-3
    rate_later: float | None = None  # from step 60 on
    warmup_steps: int = 10
    max_steps: int = 100
    plant: Callable[[Transformer], None] = field(default=lambda model: None)


def record(fault: Fault, host: PluginHost, folder: Path) -> list[Event]:
    """Run to the end and return all events; it validates every 10 steps and probes every 5."""
    config = config_of(fault)
    data = finish(prepare_data(config.dataset, host, folder / "cache"))[1]
    events: list[Event] = []
    run = CurrentRun(Trainer(resolve(config, data), data, host), events.append)
    events.append(run.prepared_event())
    run_folder = RunFolder.create_at(folder / "run")
    run_folder.write_config(run.config)
    run.begin(run_folder)
    fault.plant(run.trainer.model)
    for event in run.trainer.run():
        if event is not None:
            events.append(event)
        is_changed = any(isinstance(one, SettingChanged) for one in events)
        if fault.rate_later is not None and run.trainer.step == 60 and not is_changed:
            events.append(run.trainer.change("training.optimizer.learning_rate", fault.rate_later))
    run.trainer.close()
    return events


def config_of(fault: Fault) -> RunConfig:
    """The config of the run with this fault."""
    training: Mapping[str, Any] = {
        "optimizer": {"learning_rate": fault.rate},
        "schedule": {"name": "constant", "warmup_steps": fault.warmup_steps},
        "label_smoothing": 0.0,
        "batch_size": 16,
        "max_steps": fault.max_steps,
        "validate_every": 10,
        "probe_every": 5,
        "checkpoint_every": 1000,
        "num_threads": 1,
    }
    return RunConfig.model_validate({"dataset": {"plugin": fault.plugin}, "model": MODEL, "training": training})
