"""Several processes that train one model, started by torchrun: what they say to each other.

The first process leads: it alone has the run's folder, validates, heeds signals, and decides what comes next. The
others do what it announces (core/training/follower.py). Each works out the gradient of its sentences of every batch,
divided by the target tokens of all; the sum of these, one operation over the flat gradient a step, is that of the
whole.
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
from core.data.batching import Batch
from core.errors import UserError
from core.torchrun import Place, is_alone, place
from core.training.loss import Loss

# A process that ends is noticed at once, since its connections close. One that hangs is given up after this long, in
# which all must have drawn a batch and computed a step. While the first does something else, or stands still, it says
# so this often: however long that takes, it does not hang.
PATIENCE = timedelta(seconds=60)
BEAT_SECONDS = 10.0
# Until all stand ready to learn: on another machine the data may have to be prepared anew.
_PATIENCE_AT_FIRST = timedelta(minutes=30)
_LEAVE, _WAIT = 0.0, -1.0  # in place of a step's number


class ProcessLost(UserError):
    """Another process of this run has ended, or answers no more."""


_LOST = "Another process of this run has ended, or answers no more."
_GO_ON = "The run goes on from its last checkpoint, with any number of processes."
_NOT_FOUND = "The processes of this run did not find each other."
_NAME_THE_NETWORK = (
    "See what the first one said. Where it still waits, on another machine, name on each the network they share: "
    "GLOO_SOCKET_IFNAME=eth0, or whatever `ip addr` calls it (docs/machines.md)."
)


@contextmanager
def reaching_others(sentence: str = _LOST, advice: str = _GO_ON) -> Iterator[None]:
    """Raise ProcessLost for what goes wrong between processes, which torch tells as a RuntimeError of many kinds."""
    try:
        yield
    except RuntimeError as error:
        raise ProcessLost(sentence, advice) from error


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


_NOTHING = (0.0,) * (len(Order._fields) - 1)  # of an order that is no step


class Processes:
    """This process and the others of its run: here none, so that nothing is said to them.

    The first calls `begin`, `announce` before each step, and `leave`; each has its `parts_of` what is learned from.
    """

    def begin(self, document: Callable[[], Mapping[str, Any]], tensors: Sequence[Tensor]) -> None:
        """Once: wait for the others, tell them what the run is, and give them its weights. Raises ProcessLost."""

    def announce(self, step: int, learning_rate: float, training: TrainingConfig) -> None:
        """Have all take this step. Raises ProcessLost."""

    def leave(self) -> None:
        """Let the others end, if they have begun. Those amid a step that this one gave up find themselves alone."""

    def parts_of(self, batches: Sequence[Batch]) -> list[Batch]:
        """This process's sentences of each batch."""
        return list(batches)

    def add_up(self, gradients: Tensor, own: Loss) -> Loss:
        """Put the gradients of all processes, added up, in place of this one's; and their losses likewise."""
        return own


class SeveralProcesses(Processes):
    """Several; those that are not the first `meet`, `receive` and then heed the `orders`.

    Tensors on a GPU go by NCCL, all others by gloo.
    """

    def __init__(self, here: Place) -> None:
        self._rank, self._count = here.rank, here.world_size
        self._steps: dist.ProcessGroup | None = None  # all of them again, with less patience
        self._turn = threading.Lock()  # between the steps' thread and the one that beats
        self._is_amid_step = False  # the others wait for more than the next order
        self._is_lost = False
        self._has_left = threading.Event()
        self._beating = threading.Thread(target=self._beat, name="beat", daemon=True)

    @classmethod
    def here(cls) -> Self:
        """As torchrun placed this process."""
        return cls(place())

    # -- the first process -------------------------------------------------------------------------------------------

    def begin(self, document: Callable[[], Mapping[str, Any]], tensors: Sequence[Tensor]) -> None:
        if self._steps is not None:
            return
        self._join()
        self._is_amid_step = True
        text = torch.from_numpy(np.frombuffer(json.dumps(document()).encode(), np.uint8).copy())
        self._spread((torch.tensor([len(text)]), text), dist.group.WORLD)
        self.receive(tensors)
        self._is_amid_step = False
        self._beating.start()

    def announce(self, step: int, learning_rate: float, training: TrainingConfig) -> None:
        norm = math.nan if training.max_grad_norm is None else training.max_grad_norm
        with self._turn:
            self._is_amid_step = True
            self._order(Order(step, learning_rate, training.label_smoothing, training.optimizer.weight_decay, norm))

    def leave(self) -> None:
        if self._steps is None:
            return
        self._has_left.set()
        if self._beating.is_alive():
            self._beating.join()
        if not self._is_amid_step:
            with suppress(ProcessLost):  # whoever is gone need not be told
                self._order(Order(_LEAVE, *_NOTHING))
        self._steps = None
        part()

    def _beat(self) -> None:
        """While nothing else is said, say that the first process is there."""
        while not self._has_left.wait(BEAT_SECONDS):
            with self._turn:
                if self._is_amid_step:
                    continue
                try:
                    self._order(Order(_WAIT, *_NOTHING))
                except ProcessLost:  # the next step's thread says so
                    self._is_lost = True
                    return

    def _order(self, order: Order) -> None:
        if self._is_lost:
            raise ProcessLost(_LOST, _GO_ON)
        self._spread([torch.tensor(order, dtype=torch.float64)], self._steps)

    # -- the others --------------------------------------------------------------------------------------------------

    def meet(self) -> dict[str, Any]:
        """Wait for the first process, and hear what the run is. Raises ProcessLost."""
        self._join()
        length = torch.zeros(1, dtype=torch.int64)
        self._spread([length], dist.group.WORLD)
        text = torch.empty(int(length), dtype=torch.uint8)
        self._spread([text], dist.group.WORLD)
        document: dict[str, Any] = json.loads(text.numpy().tobytes())
        return document

    @property
    def name(self) -> str:
        """What this process calls itself where it is heard among several."""
        return f"process {self._rank}"

    def dropout_seed(self, seed: int, step: int) -> int:
        """Of one step in this process: no state, so that a checkpoint need not hold what the others drew."""
        return hash((seed, self._rank, step)) % 2**63

    def orders(self) -> Iterator[Order]:
        """Every step that the first process announces, until it leaves. Raises ProcessLost where it did not."""
        told = torch.empty(len(Order._fields), dtype=torch.float64)
        while True:
            self._spread([told], self._steps)
            order = Order(*told.tolist())
            if order.step == _LEAVE:
                return
            if order.step != _WAIT:
                yield order

    # -- every process -----------------------------------------------------------------------------------------------

    def receive(self, tensors: Sequence[Tensor]) -> None:
        """When all stand ready, let these become everywhere what they are in the first. Raises ProcessLost."""
        with reaching_others():
            dist.all_reduce(torch.zeros(1))
        self._spread(tensors, self._steps)

    def parts_of(self, batches: Sequence[Batch]) -> list[Batch]:
        """Of n processes every n-th sentence, so that lengths are shared out evenly."""
        parts = (batch.rows(slice(self._rank, None, self._count)) for batch in batches)
        return [part for part in parts if part.num_target_tokens > 0]

    def add_up(self, gradients: Tensor, own: Loss) -> Loss:
        losses = torch.stack(own)
        with reaching_others():
            dist.all_reduce(gradients, group=self._steps)
            dist.all_reduce(losses, group=self._steps)
        self._is_amid_step = False
        return Loss(*losses)

    def _join(self) -> None:
        """Meet the others where torchrun's environment says."""
        has_nccl = torch.cuda.is_available() and dist.is_nccl_available()  # on Windows torch has none
        backends = "cpu:gloo,cuda:nccl" if has_nccl else "gloo"
        # Else NCCL waits in a thread of its own for one that is lost, and ends this process without a word.
        os.environ.setdefault("TORCH_NCCL_BLOCKING_WAIT", "1")
        with reaching_others(_NOT_FOUND, _NAME_THE_NETWORK):
            dist.init_process_group(backends, timeout=_PATIENCE_AT_FIRST)
            self._steps = dist.new_group(timeout=PATIENCE)

    def _spread(self, tensors: Sequence[Tensor], group: dist.ProcessGroup | None) -> None:
        with reaching_others():
            for tensor in tensors:
                dist.broadcast(tensor, src=0, group=group)


ALONE = Processes()


def processes_here() -> Processes:
    """Those of this run, as torchrun placed this process."""
    return ALONE if is_alone() else SeveralProcesses.here()


def part() -> None:
    """Close the connections; a process that ends without that may be aborted by torch's own threads."""
    if dist.is_initialized():
        dist.destroy_process_group()
