"""Several processes that train one model, started by torchrun: all that is different then.

The first process leads: it alone has the run's folder, validates, heeds signals, and decides what comes next. The
others do what it announces (core/training/follower.py). Each works out the gradient of its sentences of every batch,
divided by the target tokens of all; the sum of these, one operation over the flat gradient a step, is that of the
whole.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, NamedTuple, Self

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

from core.config import TrainingConfig
from core.data.batching import Batch
from core.errors import UserError
from core.torchrun import Place, place
from core.training.loss import Loss

# A process that ends is noticed at once, since its connections close. One that hangs is given up after this long: the
# others wait while the first validates.
_PATIENCE = timedelta(minutes=30)
_LEAVE = 0.0  # in place of a step's number


class ProcessLost(UserError):
    """Another process of this run has ended, or answers no more."""


@contextmanager
def reaching_others(sentence: str = "Another process of this run has ended, or answers no more.") -> Iterator[None]:
    """Raise ProcessLost for what goes wrong between processes, which torch tells as a RuntimeError of many kinds."""
    try:
        yield
    except RuntimeError as error:
        advice = "Start torchrun again with --resume, and with any number of processes."
        raise ProcessLost(sentence, f"If it said why, that stands above. {advice}") from error


class Order(NamedTuple):
    """The step that comes next, and what may have changed since the one before."""

    step: float
    learning_rate: float
    label_smoothing: float
    weight_decay: float
    max_grad_norm: float  # NaN where nothing is clipped

    def settings(self, training: TrainingConfig) -> TrainingConfig:
        """The settings of this step."""
        optimizer = training.optimizer.model_copy(update={"weight_decay": self.weight_decay})
        max_grad_norm = None if math.isnan(self.max_grad_norm) else self.max_grad_norm
        update = {"optimizer": optimizer, "label_smoothing": self.label_smoothing, "max_grad_norm": max_grad_norm}
        return training.model_copy(update=update)


class Processes:
    """This process among those of its run. Alone, none of this does anything."""

    def __init__(self, here: Place) -> None:
        self.rank, self.count = here.rank, here.world_size
        self._has_begun = False
        self._is_amid_exchange = False  # the others wait for more than the next order

    @classmethod
    def here(cls) -> Self:
        """As torchrun placed this process."""
        return cls(place())

    # -- the first process -------------------------------------------------------------------------------------------

    def begin(self, document: Callable[[], Mapping[str, Any]], tensors: Sequence[Tensor]) -> None:
        """Once: wait for the others, tell them what the run is, and give them its weights. Raises ProcessLost."""
        if self.count == 1 or self._has_begun:
            return
        join()
        self._has_begun = self._is_amid_exchange = True
        text = torch.from_numpy(np.frombuffer(json.dumps(document()).encode(), np.uint8).copy())
        take_over((torch.tensor([len(text)]), text, *tensors))
        self._is_amid_exchange = False

    def announce(self, step: int, learning_rate: float, training: TrainingConfig) -> None:
        """Have all take this step."""
        if self.count == 1:
            return
        norm = math.nan if training.max_grad_norm is None else training.max_grad_norm
        order = Order(step, learning_rate, training.label_smoothing, training.optimizer.weight_decay, norm)
        self._is_amid_exchange = True
        take_over([torch.tensor(order, dtype=torch.float64)])

    def leave(self) -> None:
        """Let the others end, if they have begun. Those amid a step that this one gave up find themselves alone."""
        if not self._has_begun:
            return
        self._has_begun = False
        if not self._is_amid_exchange:
            with suppress(ProcessLost):  # whoever is gone need not be told
                take_over([torch.full((len(Order._fields),), _LEAVE, dtype=torch.float64)])
        part()

    # -- every process -----------------------------------------------------------------------------------------------

    def parts_of(self, batches: Sequence[Batch]) -> list[Batch]:
        """This process's sentences of each batch: every `count`-th, so that lengths are shared out evenly."""
        if self.count == 1:
            return list(batches)
        parts = (batch.rows(slice(self.rank, None, self.count)) for batch in batches)
        return [part for part in parts if part.num_target_tokens > 0]

    def add_up(self, gradients: Tensor, own: Loss) -> Loss:
        """Put the gradients of all processes, added up, in place of this one's; and their losses likewise."""
        if self.count == 1:
            return own
        losses = torch.stack(own)
        with reaching_others():
            dist.all_reduce(gradients)
            dist.all_reduce(losses)
        self._is_amid_exchange = False
        return Loss(*losses)


ALONE = Processes(Place())


def join() -> None:
    """Meet the others where torchrun's environment says; tensors on a GPU go by NCCL, all others by gloo."""
    backends = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    with reaching_others("The processes of this run did not find each other."):
        dist.init_process_group(backends, timeout=_PATIENCE)


def part() -> None:
    """Close the connections; a process that ends without that may be aborted by torch's own threads."""
    if dist.is_initialized():
        dist.destroy_process_group()


def take_over(tensors: Sequence[Tensor]) -> None:
    """Let these become in all processes what they are in the first. Raises ProcessLost."""
    with reaching_others():
        for tensor in tensors:
            dist.broadcast(tensor, src=0)


def require_a_gpu_each(device: str) -> None:
    """Raise UserError where torchrun started more processes on this machine than it has GPUs to train on."""
    wanted = place().local_world_size
    if device.startswith("cuda") and wanted > torch.cuda.device_count():
        raise UserError(
            f"{wanted} processes need as many GPUs; this machine has {torch.cuda.device_count()}.",
            "Start fewer, or train with --set training.device=cpu.",
        )


# -- the other processes -----------------------------------------------------------------------------------------------


def told_document() -> dict[str, Any]:
    """What the first process says of the run."""
    length = torch.zeros(1, dtype=torch.int64)
    take_over([length])
    text = torch.empty(int(length), dtype=torch.uint8)
    take_over([text])
    document: dict[str, Any] = json.loads(text.numpy().tobytes())
    return document


def orders() -> Iterator[Order]:
    """Every step that the first process announces, until it leaves. Raises ProcessLost where it ended before that."""
    told = torch.empty(len(Order._fields), dtype=torch.float64)
    while True:
        take_over([told])
        order = Order(*told.tolist())
        if order.step == _LEAVE:
            return
        yield order


def device_here(device: str) -> str:
    """Where this process computes, when the first does on `device`: of GPUs the one of its own number."""
    return f"cuda:{place().local_rank}" if device.startswith("cuda") else device
