"""Reads the model of another run from its folder, to translate with."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import torch

from core.data.prepared_data import PreparedData
from core.data.unchanged_files import FileStats, stat_files
from core.model.transformer import Transformer
from core.model.weights import load_weights
from core.model_size import model_sizes, require_same_size
from core.run_files.checkpoint_files import MODEL
from core.run_files.step_files import CHECKPOINTS, SNAPSHOTS, step_path
from core.run_folder import RunFolder
from core.serving.kept_weights import nearest_kept_step
from core.serving.opening import recorded_data
from core.training.checkpoint import to_tensors


class OtherModel(NamedTuple):
    """A model on the CPU, with the weights of `step`, and the data that texts are encoded and decoded with."""

    step: int
    model: Transformer
    data: PreparedData


class OtherRuns:
    """Reads models of other runs, and keeps the last one."""

    def __init__(self) -> None:
        self._cached: tuple[FileStats, OtherModel] | None = None  # with the state of its files

    def at(self, run: Path, step: int | None) -> OtherModel:
        """The newest weights that a run kept at or before a step; its best ones if the step is None.

        Draws no random number. Raises UserError if there are none, or they are damaged.
        """
        folder = RunFolder.open(run)
        nearest = folder.checkpoint_step("best") if step is None else nearest_kept_step(folder, step)
        file_stats = stat_files(_weights_files(run, nearest))
        if self._cached is None or self._cached[0] != file_stats:
            self._cached = None  # frees its memory before the next is read
            self._cached = file_stats, _read_model(folder, nearest)
        return self._cached[1]


def _weights_files(run: Path, step: int) -> list[str]:
    """The files that may hold the weights of a step; a run that trains past it again rewrites them."""
    return [str(step_path(run, CHECKPOINTS, step) / MODEL), str(step_path(run, SNAPSHOTS, step))]


def _read_model(folder: RunFolder, step: int) -> OtherModel:
    config, data = folder.config(), recorded_data(folder)
    weights = folder.weights(step)
    require_same_size(folder.path, step, weights, config, data)
    with torch.random.fork_rng(devices=[]):  # building a model draws its initial weights
        model = Transformer(config.model, *model_sizes(config, data)).eval()
    load_weights(model, to_tensors(weights))
    return OtherModel(step, model, data)
