"""What every process of a run but the first does: compute its part of each step, and nothing else."""

from __future__ import annotations

import contextlib
import signal
import sys
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from core.config import RunConfig
from core.data.batching import TrainBatches
from core.data.cache import is_intact
from core.data.cache_folder import default_cache_dir
from core.data.preparation import prepare_data
from core.data.prepared_data import PreparedData
from core.errors import UserError
from core.generators import run_to_end
from core.machine.resource_errors import as_shortage_error
from core.machine.signals import STOP_SIGNALS
from core.model.transformer import Transformer
from core.model_size import model_sizes
from core.plugins_host.host import PluginHost
from core.torchrun import local_device, local_threads, report_to_torchrun
from core.training.distributed import SeveralProcesses, disconnect
from core.training.memory import is_out_of_memory
from core.training.trouble import out_of_memory_error
from core.training.updater import Updater


def follow(plugin_dirs: Sequence[Path]) -> bool:
    """Take part in the first process's run until it leaves. Returns whether all went well here.

    Signals are left to the first process: a terminal's Ctrl-C reaches every process, and the first ends the others once
    it has saved. Until it describes the run there is nothing to save, and it cannot end this process, so Ctrl-C does.
    An error here is printed on standard error, and ends the run in every process.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python's handler would wait for torch, which waits half an hour
    processes = SeveralProcesses.from_environment()
    description = processes.receive_description()
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    try:
        with PluginHost(plugin_dirs) as host:
            _train(description, host, processes)
    except Exception as raised:
        error = raised if isinstance(raised, UserError) else as_shortage_error(raised)
        if error is None:
            raise
        sentence = f"headlight: {processes.name}: {error} The run is {description['run']}"
        report_to_torchrun(sentence)
        print(f"\n{sentence}", file=sys.stderr)  # the first process's progress bar may be on this line
        return False
    finally:
        disconnect()
    return True


def _train(description: dict[str, Any], host: PluginHost, processes: SeveralProcesses) -> None:
    config = _config(description)
    data = _data(description, config, host)
    try:
        _follow_commands(description, config, data, host, processes)
    except (RuntimeError, MemoryError) as error:
        if is_out_of_memory(error):
            raise out_of_memory_error(config, data) from error
        raise


def _follow_commands(
    description: dict[str, Any], config: RunConfig, data: PreparedData, host: PluginHost, processes: SeveralProcesses
) -> None:
    updater = _updater(config, data, processes)
    processes.synchronise(updater.tensors)
    with contextlib.closing(TrainBatches(data, config.training, config.seed, host)) as source:
        source.restore(description["batches"])
        newest_step = 0.0
        for command in processes.commands():
            if command.step <= newest_step:  # the first process has returned to its last good step
                updater.optimizer.reset_found_inf()
            newest_step = command.step
            torch.manual_seed(processes.dropout_seed(config.seed, int(command.step)))
            batches = [next(source) for _ in range(config.training.accumulate_steps)]
            updater.step(batches, command.settings(config.training), command.learning_rate)


def _config(description: dict[str, Any]) -> RunConfig:
    config = RunConfig.model_validate(description["config"])
    device = local_device(config.training.device)
    return config.model_copy(update={"training": config.training.model_copy(update={"device": device})})


def _data(description: dict[str, Any], config: RunConfig, host: PluginHost) -> PreparedData:
    """The prepared data: opened on the first process's machine, prepared once more on another.

    The latter uses the first's subwords and tokens: another machine may learn different ones from the same texts.
    """
    folder, options = Path(description["data"]), description["local_options"]
    if is_intact(folder):
        return replace(PreparedData.open(folder, config.dataset), local_options=options)
    models = {side: b64decode(model) for side, model in description["subwords"].items()}
    known = PreparedData.from_document(description["vocabulary"], models)
    data = run_to_end(prepare_data(config.dataset, host, default_cache_dir(), known, options))
    if data.fingerprint != known.fingerprint:
        raise UserError(
            f"The dataset {config.dataset.plugin!r} gives different pairs here than in the first process.",
            "Use the same plugin, and the same files at the same place, on every machine.",
        )
    return data


def _updater(config: RunConfig, data: PreparedData, processes: SeveralProcesses) -> Updater:
    device = torch.device(config.training.device)
    if device.type == "cuda":
        torch.cuda.set_device(device)
    torch.set_num_threads(local_threads(int(config.training.num_threads)))
    model = Transformer(config.model, *model_sizes(config, data)).eval()
    return Updater(model, config.training, device, processes)
