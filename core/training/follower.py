"""What every process of a run but the first does: compute its disconnect of each step, and nothing else."""

from __future__ import annotations

import contextlib
import signal
import sys
from base64 import b64decode
from collections.abc import Generator, Sequence
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
from core.machine.signals import STOPPING
from core.model.transformer import Transformer
from core.model_size import model_sizes
from core.plugins_host.host import PluginHost
from core.torchrun import device_here, tell_torchrun, threads_here
from core.training.distributed import SeveralProcesses, disconnect
from core.training.learner import Learner
from core.training.memory import is_out_of_memory
from core.training.trouble import no_memory


def follow(plugin_dirs: Sequence[Path]) -> bool:
    """Take part in the first process's run until it leaves. Returns whether all went well here.

    Signals are left to the first process: a terminal's Ctrl-C reaches every process, and the first ends the others once
    it has saved. An error here is printed on standard error, and ends the run in every process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    processes = SeveralProcesses.here()
    document = processes.meet()
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)
    try:
        with PluginHost(plugin_dirs) as host:
            _take_part(document, host, processes)
    except UserError as error:
        sentence = f"headlight: {processes.name}: {error} The run is {document['run']}"
        tell_torchrun(sentence)
        print(f"\n{sentence}", file=sys.stderr)  # the first process's progress bar may be on this line
        return False
    finally:
        disconnect()
    return True


def _take_part(document: dict[str, Any], host: PluginHost, processes: SeveralProcesses) -> None:
    config = _config(document)
    data = _data(document, config, host)
    learner = _learner(config, data, processes)
    processes.receive(learner.tensors)
    with contextlib.closing(TrainBatches(data, config.training, config.seed, host)) as source:
        source.restore(document["batches"])
        for order in processes.orders():
            torch.manual_seed(processes.dropout_seed(config.seed, int(order.step)))
            batches = [next(source) for _ in range(config.training.accumulate_steps)]
            try:
                learner.step(batches, order.settings(config.training), order.learning_rate)
            except RuntimeError as error:
                if is_out_of_memory(error):
                    raise no_memory(config, data) from error
                raise


def _config(document: dict[str, Any]) -> RunConfig:
    config = RunConfig.model_validate(document["config"])
    device = device_here(config.training.device)
    return config.model_copy(update={"training": config.training.model_copy(update={"device": device})})


def _data(document: dict[str, Any], config: RunConfig, host: PluginHost) -> PreparedData:
    """The prepared data: opened on the first process's machine, prepared once more on another.

    The latter uses the first's subwords and tokens: another machine may learn different ones from the same texts.
    """
    folder, options = Path(document["data"]), document["local_options"]
    if is_intact(folder):
        return replace(PreparedData.open(folder, config.dataset), local_options=options)
    models = {side: b64decode(model) for side, model in document["subwords"].items()}
    data = _done(prepare_data(config.dataset, host, default_cache_dir(), models, options, document["tokens"]))
    if data.fingerprint != document["fingerprint"]:
        raise UserError(
            f"The dataset {config.dataset.plugin!r} gives different pairs here than in the first process.",
            "Use the same plugin, and the same files at the same place, on every machine.",
        )
    return data


def _done(work: Generator[object, None, PreparedData]) -> PreparedData:
    """Run the work to its end and return its result; nobody here looks at its progress."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def _learner(config: RunConfig, data: PreparedData, processes: SeveralProcesses) -> Learner:
    device = torch.device(config.training.device)
    if device.type == "cuda":
        torch.cuda.set_device(device)
    torch.set_num_threads(threads_here(int(config.training.num_threads)))
    model = Transformer(config.model, *model_sizes(config, data)).eval()
    return Learner(model, config.training, device, processes)
