"""What is read of a run to find notices in it."""

from __future__ import annotations

from typing import Protocol

from core.config import RunConfig
from core.events import Prepared, ValidationDone
from core.growing_run.growing_curve import Steps, Values
from core.growing_run.growing_probes import GrowingProbes


class ReadableRun(Protocol):
    """The part of `core.history.History` that is read: a history keeps its notices, so its class is not imported."""

    prepared: Prepared | None
    probes: GrowingProbes
    validations: dict[int, dict[str, float]]

    def config_at(self, step: float) -> RunConfig: ...

    def curve(self, name: str) -> tuple[Steps, Values]: ...

    def value(self, name: str, step: int) -> float | None: ...

    def validation(self, step: int) -> ValidationDone: ...
