"""A listener that records events, and a tiny run, for tests that drive the real engine."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from core.config import RunConfig
from core.engine import Engine
from core.events import Event, Prepared, StateChanged, StepsDone
from core.requests import Prepare, Request, Start

Answer = TypeVar("Answer")
Kind = TypeVar("Kind", bound=Event)
SECONDS = 200.0


def tiny_config(seed: int = 0, **training: Any) -> RunConfig:
    """A copy task with a model of a few thousand weights, which trains a few hundred steps a second."""
    options = {"num_symbols": 5, "min_length": 3, "max_length": 3}
    model = {"d_model": 16, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1, "d_ff": 32}
    settings = {"max_steps": 60, "validate_every": 20, "checkpoint_every": 20, "probe_every": 10, "batch_size": 8}
    settings |= training
    return RunConfig.model_validate(
        {
            "seed": seed,
            "dataset": {"plugin": "copy_task", "options": options},
            "model": model,
            "training": settings,
        }
    )


class Watcher:
    """Records all events in order; any thread may wait for one."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._came = threading.Condition()

    def __call__(self, event: Event) -> None:
        with self._came:
            self.events.append(event)
            self._came.notify_all()

    def all(self, kind: type[Kind]) -> list[Kind]:
        return [event for event in tuple(self.events) if isinstance(event, kind)]

    def wait(self, kind: type[Kind], matches: Callable[[Kind], bool] = lambda _: True) -> Kind:
        """Wait for the first event of this kind that satisfies the condition."""
        with self._came:
            assert self._came.wait_for(lambda: any(matches(event) for event in self.all(kind)), SECONDS), kind
        return next(event for event in self.all(kind) if matches(event))

    def wait_past(self, step: int) -> None:
        """Wait until steps after this one are reported."""
        self.wait(StepsDone, lambda event: event.first_step > step)

    def states(self) -> list[str]:
        return [event.state for event in self.all(StateChanged)]

    def steps(self) -> list[int]:
        """Every reported step, in the order of the reports."""
        ranges = [(done.first_step, len(done.arrays["train/loss"])) for done in self.all(StepsDone)]
        return [first + number for first, count in ranges for number in range(count)]


def answered(engine: Engine, request: Request[Answer]) -> Answer:
    return engine.ask(request).result(SECONDS)


def run_of(prepared: Prepared) -> Path:
    """The folder of the prepared run."""
    assert prepared.run is not None
    return prepared.run


def begun(engine: Engine, runs_dir: Path, **training: Any) -> Path:
    """A prepared and started tiny run."""
    answered(engine, Prepare(config=tiny_config(**training)))
    return answered(engine, Start(runs_dir=runs_dir))
