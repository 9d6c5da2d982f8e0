"""A small task, prepared once for all tests here, and trainers for small runs on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from core.config import DatasetConfig, RunConfig
from core.data.preparation import prepare_data
from core.data.prepared_data import PreparedData
from core.plugins_host.host import PluginHost
from core.run_folder import RunFolder
from core.training.resolve import resolve
from core.training.trainer import Trainer
from tests.core.training.small_runs import DATASET, MODEL, MakeTrainer, finish


@pytest.fixture(scope="session")
def host() -> Iterator[PluginHost]:
    with PluginHost([Path(__file__).parent / "plugins"]) as host:
        host.plugins()  # starts its process before the first test
        yield host


@pytest.fixture(scope="session")
def data(host: PluginHost, tmp_path_factory: pytest.TempPathFactory) -> PreparedData:
    dataset = DatasetConfig.model_validate(DATASET)
    return finish(prepare_data(dataset, host, tmp_path_factory.mktemp("cache")))[1]


@pytest.fixture
def make_trainer(data: PreparedData, host: PluginHost, tmp_path: Path) -> Iterator[MakeTrainer]:
    """Create trainers for the small task, each with its own run folder; other keywords are keys of `training`."""
    with trainers_in(tmp_path, data, host) as make:
        yield make


@contextmanager
def trainers_in(runs_dir: Path, data: PreparedData, host: PluginHost) -> Iterator[MakeTrainer]:
    """Yield a function that creates trainers with run folders in `runs_dir`; close them at the end."""
    trainers: list[Trainer] = []

    def make(*, folder: RunFolder | None = None, seed: int = 0, **training: Any) -> Trainer:
        small = {"max_steps": 12, "batch_size": 8, "validate_every": 5, "checkpoint_every": 6, "num_threads": 1}
        document = {"seed": seed, "dataset": DATASET, "model": MODEL, "training": {**small, **training}}
        config = resolve(RunConfig.model_validate(document), data)
        trainer = Trainer(config, data, host)
        if folder is None:
            folder = RunFolder.create_at(runs_dir / f"run{len(trainers)}")
            folder.write_config(config)
        trainer.attach_folder(folder)
        trainers.append(trainer)
        return trainer

    yield make
    for trainer in trainers:
        trainer.close()
