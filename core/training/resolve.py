"""Resolves every `auto` of a config once, from the config, the data and the machine; the window has no part in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import torch

from core.config import RunConfig, TrainingConfig
from core.data.prepared_data import PreparedData
from core.decoding.decode import longest_output
from core.errors import UserError
from core.events import Event, Trouble
from core.machine.cores import usable_cores, usable_processors
from core.machine.processor import has_bfloat16_products
from core.model_size import num_parameters
from core.torchrun import local_cores, local_device, require_device_per_process

# The weights times the target tokens of a batch from which on a second thread pays. A step of 3e8 (d_model 128, 2 + 2
# layers) takes 22 ms with two threads and 30 with one; of 4e7 (d_model 64) 6.7 and 8.1. So small a gain is lost many
# times over where another program needs a core, since threads wait for each other: on a busy machine
# toy_german_english (1e8) was trained in 32 s with one thread, and with two was not half done after 100 s. Below this
# bfloat16 does not pay either, on a processor that multiplies in it (one thread, forward and backward): 6.6 ms instead
# of float32's 6.2 for copy_task (4e7), 12.1 instead of 10.5 for toy_german_english; but 19.5 instead of 23.9 at 3e8.
_MIN_WORK_FOR_TWO_THREADS = 2e8
_MAX_THREADS = 1_024  # given many thousands, OpenMP ends the process without a message
_MOVED_TO_CPU_ADVICE = (
    "It is opened on the CPU; training continues there in {precision} with the same result, but not bit for bit."
)


def resolve(config: RunConfig, data: PreparedData) -> RunConfig:
    """The config with every `auto` resolved: runs with equal resolved configs are equal to the bit on this machine.

    Raises UserError for a device that is missing, or that does not exist once for each process of the run, and for more
    threads than can be started.
    """
    device = local_device(_device(config.training.device))
    require_device_per_process(device, torch.cuda.device_count())
    update = {
        "device": device,
        "precision": _precision(config.training.precision, device),
        "num_threads": _num_threads(config, data),
        "probe_every": resolve_probe_every(config.training),
    }
    return config.model_copy(
        update={
            "dataset": data.dataset,
            "training": config.training.model_copy(update=update),
            "decoding": config.decoding.model_copy(update={"max_length": longest_output(config.decoding, data)}),
        }
    )


def resolve_on_this_machine(config: RunConfig, data: PreparedData, emit: Callable[[Event], None]) -> RunConfig:
    """Resolve the config of a run that may have begun on another machine.

    If its device is missing, the run moves to the CPU, in a precision that this one multiplies in, and `emit` gets a
    note. It takes at most as many threads as there are processors here that it may use.
    """
    training = config.training
    update: dict[str, object] = {}
    if training.device != "auto" and not _device_exists(training.device):
        # Where bfloat16 is imitated, a step takes dozens of times as long.
        precision = training.precision if has_bfloat16_products() else "float32"
        update = {"device": "cpu", "precision": precision}
        sentence = f"The run's device, {training.device}, does not exist on this machine."
        emit(Trouble(sentence=sentence, advice=_MOVED_TO_CPU_ADVICE.format(precision=precision), is_note=True))
    if training.num_threads != "auto":
        update["num_threads"] = min(training.num_threads, usable_processors())
    return resolve(config.model_copy(update={"training": training.model_copy(update=update)}), data)


def resolve_probe_every(training: TrainingConfig) -> int:
    """`auto` spreads a hundred probes over the run."""
    return max(1, training.max_steps // 100) if training.probe_every == "auto" else training.probe_every


def has_small_steps(config: RunConfig, data: PreparedData) -> bool:
    """Whether its steps are so small that neither a second thread nor bfloat16 pays on a CPU."""
    training = config.training
    tokens = training.batch_tokens or (training.batch_size or 1) * data.max_tgt_length
    return num_parameters(config, data) * tokens < _MIN_WORK_FOR_TWO_THREADS


def _device(name: str) -> str:
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if not _device_exists(name):
        raise UserError(f"training.device: {name} does not exist on this machine.", "Use auto or cpu.")
    return name


def _device_exists(device: str) -> bool:
    kind, _, index = device.partition(":")
    return {
        "cpu": True,
        "cuda": torch.cuda.is_available() and int(index or 0) < torch.cuda.device_count(),
        "mps": torch.backends.mps.is_available(),
    }[kind]


def _precision(name: Literal["auto", "float32", "bfloat16"], device: str) -> str:
    if name == "auto":
        multiplies = device.startswith("cuda") and torch.cuda.is_bf16_supported(including_emulation=False)
        return "bfloat16" if multiplies else "float32"
    return name


def _num_threads(config: RunConfig, data: PreparedData) -> int:
    requested = config.training.num_threads
    if requested == "auto":
        return 1 if has_small_steps(config, data) else local_cores(usable_cores())
    if requested > _MAX_THREADS:
        raise UserError(f"training.num_threads: expected auto or at most {_MAX_THREADS:,}, given {requested:,}.")
    return requested
