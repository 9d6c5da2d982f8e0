"""The metrics of each step, left on the device for a while and then read for many steps at once."""

from __future__ import annotations

import time
from time import monotonic, perf_counter

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.events import StepsDone

_CAPACITY = 1024
_SECONDS_BETWEEN_REPORTS = 0.25
_ON_DEVICE = ("train/loss", "train/objective", "train/grad_norm")
_ON_CPU = ("train/learning_rate", "train/target_tokens_per_second", "train/epoch", "time")
_TOKENS_PER_SECOND = _ON_CPU.index("train/target_tokens_per_second")


class StepMeter:
    """Buffers for 1,024 steps, on the device and in numpy; a step writes one row of each and waits for nothing."""

    def __init__(self, device: torch.device) -> None:
        self._on_device = torch.zeros(_CAPACITY, len(_ON_DEVICE), device=device)
        self._on_cpu = np.zeros((_CAPACITY, len(_ON_CPU)))
        self._is_cheap_to_read = device.type == "cpu"
        self._num_rows, self._num_tokens, self._seconds = 0, 0, 0.0
        self._first_step = 1
        self._reported_at = monotonic()
        self.not_finite_at: int | None = None  # the first step seen whose loss or gradient was not finite
        self.is_loss_finite = True  # of that step

    def record(
        self,
        step: int,
        step_metrics: tuple[Tensor, Tensor, Tensor],
        *,
        rate: float,
        num_tokens: int,
        seconds: float,
        epoch: float,
    ) -> None:
        """Record a step: its loss, objective and gradient norm, scalars on the device, and what the CPU knows of it."""
        if self._num_rows == 0:
            self._first_step = step
        torch.stack(step_metrics, out=self._on_device[self._num_rows])
        self._on_cpu[self._num_rows] = (rate, num_tokens / seconds, epoch, time.time())
        self._num_rows += 1
        self._num_tokens += num_tokens
        self._seconds += seconds
        if self._is_cheap_to_read and not bool(self._on_device[self._num_rows - 1].isfinite().all()):
            self.not_finite_at = step

    @property
    def is_due(self) -> bool:
        """Whether it is time to read: a few times a second, when the buffers are full, or after a step not finite."""
        waited = monotonic() - self._reported_at > _SECONDS_BETWEEN_REPORTS
        return self._num_rows == _CAPACITY or self.not_finite_at is not None or (waited and self._num_rows > 0)

    def read(self) -> StepsDone | None:
        """The steps recorded since `clear`, up to the first that was not finite; None if there are none."""
        rows = self._read_from_device()
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        num_good = int(bad[0]) if len(bad) else self._num_rows
        if len(bad):
            self.not_finite_at = self._first_step + num_good
            self.is_loss_finite = bool(np.isfinite(rows[num_good, 0]))
        if num_good == 0:
            return None
        measured = dict(zip(_ON_DEVICE, rows[:num_good].T.copy(), strict=True))
        known = dict(zip(_ON_CPU, self._on_cpu[:num_good].T.copy(), strict=True))
        arrays = {"time": known["time"], **measured, **known}  # the order of a line in metrics.jsonl
        return StepsDone(first_step=self._first_step, arrays=arrays)

    def _read_from_device(self) -> NDArray[np.float64]:
        """The rows measured. A device other than the CPU first finishes queued steps: the wait is their time."""
        started = perf_counter()
        rows = self._on_device[: self._num_rows].cpu().numpy().astype(np.float64)
        if not self._is_cheap_to_read and self._num_rows > 0:
            self._seconds += perf_counter() - started
            self._on_cpu[: self._num_rows, _TOKENS_PER_SECOND] = self._num_tokens / self._seconds
        return rows

    def clear(self) -> None:
        """Forget what was read; call it once that is stored safely."""
        self._num_rows, self._num_tokens, self._seconds = 0, 0, 0.0
        self._reported_at = monotonic()
