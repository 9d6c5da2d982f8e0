"""The product's own code: a `Trainer` on a run folder, and `translate`, both just as the window uses them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from benchmarks.speed.rounds import Contender
from benchmarks.speed.settings import document
from benchmarks.speed.sizes import Size
from core.config import RunConfig
from core.data.prepared_data import PreparedData
from core.decoding.translate import translate
from core.generators import run_to_end
from core.model.transformer import Transformer
from core.model.weights import named_weights
from core.requests import Translate
from core.run_folder import RunFolder
from core.training.auto_precision.choice import choose_precision
from core.training.resolve import resolve
from core.training.trainer import Trainer

OURS = "Headlight"


def make_trainer(size: Size, data: PreparedData, folder: Path, **training: Any) -> Trainer:
    """The trainer of a run in `folder`, which must be new; `training` are settings of that section."""
    requested = RunConfig.model_validate(document(size, **training))
    config = run_to_end(choose_precision(resolve(requested, data), requested.training, data)).config
    run_folder = RunFolder.create_at(folder)
    run_folder.write_config(config)
    trainer = Trainer(config, data, host=None)
    trainer.attach_folder(run_folder)
    return trainer


def training(trainer: Trainer) -> Contender:
    """One step of the trainer's loop; the probes of the first steps are made between steps, untimed."""
    run = trainer.run()

    def do_due_tasks() -> None:
        while trainer.is_anything_due:
            next(run)

    def step() -> None:
        wanted = trainer.step + 1
        while trainer.step < wanted:
            next(run)

    return Contender(step, int(trainer.config.training.num_threads), do_due_tasks)


def decode(model: Transformer, trainer: Trainer, texts: Sequence[str], beam_size: int, length: int) -> list[list[int]]:
    """Translate as the Translate tab does, with the trainer's weights or another model's; returns the ids."""
    config = trainer.config.decoding.model_copy(update={"beam_size": beam_size, "max_length": length})
    translations = translate(model, trainer.data, Translate(texts=tuple(texts)), decoding=config, step=trainer.step)
    return [trainer.data.tgt_vocabulary.ids(translation.output.split()) for translation in translations]


def with_norms(trainer: Trainer, norm_first: bool) -> Transformer:
    """The trainer's model, or one with LayerNorm in the other place: new, and the same in every benchmark."""
    config = trainer.config.model
    if config.norm_first == norm_first:
        return trainer.model
    sizes = len(trainer.data.src_vocabulary), len(trainer.data.tgt_vocabulary), trainer.model.max_positions
    torch.manual_seed(trainer.config.seed)
    return Transformer(config.model_copy(update={"norm_first": norm_first}), *sizes)


def plain_weights(model: Transformer) -> dict[str, Tensor]:
    """Our weights for a `SameModel`, with fused projections split."""
    plain: dict[str, Tensor] = {}
    for name, tensor in named_weights(model).items():
        *path, last, kind = name.split(".")
        parts = last if last in ("qkv", "kv") else ""
        if parts:
            for part, piece in zip(parts, tensor.chunk(len(parts)), strict=True):
                plain[".".join([*path, part, kind])] = piece
        else:
            plain[name] = tensor
    return plain
