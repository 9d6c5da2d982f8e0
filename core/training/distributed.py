"""Communication between the processes that train one model together, started by torchrun.

The first process leads: it alone has the run's folder, validates, handles signals, and decides what comes next. The
others follow its commands (core/training/follower.py). Each computes the gradient of its share of every batch's
sentences, divided by the target tokens of all shares; one all-reduce of the flat gradient a step sums these to the
gradient of the whole batch.
"""

from __future__ import annotations

import json
import math
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, NamedTuple, Self

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

from core.config import TrainingConfig
from core.data.batch import Batch
from core.errors import UserError
from core.torchrun import ProcessRank, is_alone, process_rank
from core.training.loss import Loss

# A process that ends is noticed at once, since its connections close. One that hangs is given up after STEP_TIMEOUT, in
# which every process must have drawn a batch and computed a step. While the first does anything else, or is paused, it
# sends a heartbeat every HEARTBEAT_SECONDS, so that it is never taken for hanging.
STEP_TIMEOUT = timedelta(seconds=60)
HEARTBEAT_SECONDS = 10.0
# Until all are ready to train: on another machine the data may have to be prepared first.
_START_TIMEOUT = timedelta(minutes=30)
_LEAVE, _WAIT = 0.0, -1.0  # in place of a step's number


class ProcessLost(UserError):
    """Another process of this run has ended, or no longer answers."""


_LOST = "Another process of this run has ended, or no longer answers."
_CONTINUE_ADVICE = "The run continues from its last checkpoint, with any number of processes."
_NOT_FOUND = "The processes of this run did not find each other."
_NETWORK_ADVICE = (
    "See what the first one printed. If it still waits, on another machine, name on each the network they share: "
    "GLOO_SOCKET_IFNAME=eth0, or whatever `ip addr` calls it (docs/machines.md)."
)


@contextmanager
def raising_process_lost(sentence: str = _LOST, advice: str = _CONTINUE_ADVICE) -> Iterator[None]:
    """Raise ProcessLost for a failure between processes, which torch raises as a RuntimeError of many kinds."""
    try:
        yield
    except RuntimeError as error:
        raise ProcessLost(sentence, advice) from error


class StepCommand(NamedTuple):
    """The next step, with the settings that may have changed since the last one."""

    step: float
    learning_rate: float
    label_smoothing: float
    weight_decay: float
    max_grad_norm: float  # NaN where nothing is clipped

    def settings(self, training: TrainingConfig) -> TrainingConfig:
        """`training` with the settings of this step."""
        optimizer = training.optimizer.model_copy(update={"weight_decay": self.weight_decay})
        max_grad_norm = None if math.isnan(self.max_grad_norm) else self.max_grad_norm
        update = {"optimizer": optimizer, "label_smoothing": self.label_smoothing, "max_grad_norm": max_grad_norm}
        return training.model_copy(update=update)


_NO_SETTINGS = (0.0,) * (len(StepCommand._fields) - 1)  # the other fields of a command that is not a step


class Processes:
    """The processes of a run, where there is only this one: nothing is sent.

    The first process calls `start`, `announce_step` before each step, and `leave`; every process trains on its
    `local_batches`.
    """

    def start(self, describe: Callable[[], Mapping[str, Any]], tensors: Sequence[Tensor]) -> None:
        """Once: wait for the others, and send them the run's description and weights. Raises ProcessLost."""

    def announce_step(self, step: int, learning_rate: float, training: TrainingConfig) -> None:
        """Order every process to take this step. Raises ProcessLost."""

    def leave(self) -> None:
        """Let the others end, if they have begun. In a step given up by this process, they see the connection close."""

    def local_batches(self, batches: Sequence[Batch]) -> list[Batch]:
        """This process's sentences of each batch."""
        return list(batches)

    def all_reduce(self, gradients: Tensor, local_loss: Loss) -> Loss:
        """Replace this process's gradients by the sum over all processes; returns their losses, summed likewise."""
        return local_loss


class SeveralProcesses(Processes):
    """The processes of a run, where there are several.

    All but the first receive its description of the run, `synchronise` and then follow its `commands`.
    Tensors on a GPU travel by NCCL, all others by gloo.
    """

    def __init__(self, rank: ProcessRank) -> None:
        self._rank, self._count = rank.rank, rank.world_size
        self._steps: dist.ProcessGroup | None = None  # all processes again, with a shorter timeout
        self._send_lock = threading.Lock()  # between the training thread and the heartbeat's
        self._is_in_step = False  # the others wait for something other than a command
        self._is_lost = False
        self._has_left = threading.Event()
        self._heartbeat = threading.Thread(target=self._send_heartbeats, name="heartbeat", daemon=True)

    @classmethod
    def from_environment(cls) -> Self:
        """For this process, as torchrun placed it."""
        return cls(process_rank())

    # -- the first process -------------------------------------------------------------------------------------------

    def start(self, describe: Callable[[], Mapping[str, Any]], tensors: Sequence[Tensor]) -> None:
        if self._steps is not None:
            return
        self._connect()
        self._is_in_step = True
        text = torch.from_numpy(np.frombuffer(json.dumps(describe()).encode(), np.uint8).copy())
        self._broadcast((torch.tensor([len(text)]), text), dist.group.WORLD)
        self.synchronise(tensors)
        self._is_in_step = False
        self._heartbeat.start()

    def announce_step(self, step: int, learning_rate: float, training: TrainingConfig) -> None:
        norm = math.nan if training.max_grad_norm is None else training.max_grad_norm
        with self._send_lock:
            self._is_in_step = True
            self._send_command(
                StepCommand(step, learning_rate, training.label_smoothing, training.optimizer.weight_decay, norm)
            )

    def leave(self) -> None:
        if self._steps is None:
            return
        self._has_left.set()
        if self._heartbeat.is_alive():
            self._heartbeat.join()
        if not self._is_in_step:
            with suppress(ProcessLost):  # one that is gone needs no command
                self._send_command(StepCommand(_LEAVE, *_NO_SETTINGS))
        self._steps = None
        disconnect()

    def _send_heartbeats(self) -> None:
        """Send a heartbeat whenever there is nothing else to send."""
        while not self._has_left.wait(HEARTBEAT_SECONDS):
            with self._send_lock:
                if self._is_in_step:
                    continue
                try:
                    self._send_command(StepCommand(_WAIT, *_NO_SETTINGS))
                except ProcessLost:  # the training thread reports it at its next step
                    self._is_lost = True
                    return

    def _send_command(self, command: StepCommand) -> None:
        if self._is_lost:
            raise ProcessLost(_LOST, _CONTINUE_ADVICE)
        self._broadcast([torch.tensor(command, dtype=torch.float64)], self._steps)

    # -- the others --------------------------------------------------------------------------------------------------

    def receive_description(self) -> dict[str, Any]:
        """Wait for the first process, and receive what the run is. Raises ProcessLost."""
        self._connect()
        length = torch.zeros(1, dtype=torch.int64)
        self._broadcast([length], dist.group.WORLD)
        text = torch.empty(int(length), dtype=torch.uint8)
        self._broadcast([text], dist.group.WORLD)
        description: dict[str, Any] = json.loads(text.numpy().tobytes())
        return description

    @property
    def name(self) -> str:
        """This process's name in messages."""
        return f"process {self._rank}"

    def dropout_seed(self, seed: int, step: int) -> int:
        """The seed of a step's dropout here: derived, so that a checkpoint need not hold the others' random state."""
        return hash((seed, self._rank, step)) % 2**63

    def commands(self) -> Iterator[StepCommand]:
        """The steps that the first process announces, until it leaves. Raises ProcessLost if it never does."""
        received = torch.empty(len(StepCommand._fields), dtype=torch.float64)
        while True:
            self._broadcast([received], self._steps)
            command = StepCommand(*received.tolist())
            if command.step == _LEAVE:
                return
            if command.step != _WAIT:
                yield command

    # -- every process -----------------------------------------------------------------------------------------------

    def synchronise(self, tensors: Sequence[Tensor]) -> None:
        """Once all processes are ready, overwrite these tensors by the first process's. Raises ProcessLost."""
        with raising_process_lost():
            dist.all_reduce(torch.zeros(1))
        self._broadcast(tensors, self._steps)

    def local_batches(self, batches: Sequence[Batch]) -> list[Batch]:
        """Every n-th sentence for each of n processes, so that lengths are spread evenly."""
        parts = (batch.rows(slice(self._rank, None, self._count)) for batch in batches)
        return [part for part in parts if part.num_target_tokens > 0]

    def all_reduce(self, gradients: Tensor, local_loss: Loss) -> Loss:
        losses = torch.stack(local_loss)
        with raising_process_lost():
            dist.all_reduce(gradients, group=self._steps)
            dist.all_reduce(losses, group=self._steps)
        self._is_in_step = False
        return Loss(*losses)

    def _connect(self) -> None:
        """Connect to the others as torchrun's environment says."""
        has_nccl = torch.cuda.is_available() and dist.is_nccl_available()  # on Windows torch has none
        backends = "cpu:gloo,cuda:nccl" if has_nccl else "gloo"
        # Otherwise NCCL waits for a lost process in its own thread, and then ends this one without a message.
        os.environ.setdefault("TORCH_NCCL_BLOCKING_WAIT", "1")
        with raising_process_lost(_NOT_FOUND, _NETWORK_ADVICE):
            dist.init_process_group(backends, timeout=_START_TIMEOUT)
            self._steps = dist.new_group(timeout=STEP_TIMEOUT)

    def _broadcast(self, tensors: Sequence[Tensor], group: dist.ProcessGroup | None) -> None:
        with raising_process_lost():
            for tensor in tensors:
                dist.broadcast(tensor, src=0, group=group)


ALONE = Processes()


def processes_from_environment() -> Processes:
    """The processes of this run, as torchrun placed this one."""
    return ALONE if is_alone() else SeveralProcesses.from_environment()


def disconnect() -> None:
    """Close the connections; a process that ends without that may be aborted by torch's own threads."""
    if dist.is_initialized():
        dist.destroy_process_group()
