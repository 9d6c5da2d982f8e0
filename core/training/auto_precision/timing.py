"""How long a sample takes in each number format."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from typing import NamedTuple

import torch

from core.events import Progress
from core.model.transformer import Transformer
from core.training.auto_precision.sample import Sample
from core.training.flat_parameters import FlatParameters
from core.training.passes.training import TrainingPass
from core.training.random_state import RandomState
from core.training.threads import threads

_ROUNDS = 5  # the first only warms up
_MAX_SECONDS = 0.6  # after which no further round begins, once both have been timed
_CLOCK = time.perf_counter if sys.platform == "win32" else time.thread_time  # there a thread's clock ticks every 16 ms


class Seconds(NamedTuple):
    """The time of a sample on one core, forward and backward."""

    float32: float
    bfloat16: float


def measure(sample: Sample, label_smoothing: float) -> Generator[Progress, None, Seconds]:
    """The shortest of some rounds in which the two formats alternate; the optimizer's update is the same in both.

    What counts is one thread's processor time, which is the same on a busy machine: there the wall time of a step of
    22 ms was 90 ms, and with two threads 330. Yields after each step. Draws from no run's random sequence, and leaves
    torch's number of threads as it was.
    """
    random = RandomState(0, torch.device("cpu"))
    with random.activated(), threads(1):
        length = max(sample.src_length, sample.tgt_length)
        model = Transformer(sample.model, sample.src_vocab_size, sample.tgt_vocab_size, length).eval()
        parameters, batch = FlatParameters(model), sample.batch()
        passes = [TrainingPass(model, parameters, in_bfloat16) for in_bfloat16 in (False, True)]
    durations: list[list[float]] = [[], []]
    began = time.perf_counter()
    while len(durations[1]) < _ROUNDS and (len(durations[1]) < 2 or time.perf_counter() - began < _MAX_SECONDS):
        for one, times in zip(passes, durations, strict=True):
            with random.activated(), threads(1), torch.no_grad():
                started = _CLOCK()
                one.write_gradients([batch], label_smoothing)
                times.append(_CLOCK() - started)
            yield Progress(stage="measuring speed", done=len(times), total=_ROUNDS)
    return Seconds(*(min(times[1:]) for times in durations))
