"""Events: frozen records of what happened in the engine. Plain Python and numpy only, never a tensor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.config import RunConfig
from core.errors import Offer
from core.probes import Probe

EngineState = Literal["empty", "preparing", "ready", "learning", "paused", "finished", "failed"]
FinishReason = Literal[
    "max_steps",
    "early_stopping",
    "finished_by_user",
    "stopped",
    "diverged",
    "disk",
    "memory",
    "plugin",
    "process",
    "fault",  # of ours
]
GOOD_ENDS: tuple[FinishReason, ...] = ("max_steps", "early_stopping", "finished_by_user")


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened in the engine."""


Listener = Callable[[Event], None]


@dataclass(frozen=True, kw_only=True)
class StateChanged(Event):
    """The engine went from one state to another."""

    state: EngineState
    step: int


@dataclass(frozen=True, kw_only=True)
class Progress(Event):
    """Progress of a stage that takes a while (preparing, validating, decoding); `total` is None if it is unknown.

    For pairs read from files, it is estimated from the bytes read so far.
    """

    stage: str
    done: int
    total: int | None


@dataclass(frozen=True, kw_only=True)
class Prepared(Event):
    """Data and untrained (or reopened) model are ready; the probe follows as `ProbeDone`."""

    config: RunConfig  # every auto resolved
    num_parameters: int
    src_tokens: tuple[str, ...]  # the vocabularies, in the order of ids
    tgt_tokens: tuple[str, ...]
    num_pairs: dict[str, int | None]  # split -> pairs, None if it is endless
    left_out: dict[str, int]  # split -> pairs that are too long; for endless data, in the first shard
    limits: dict[str, float]  # metric -> best possible value
    examples: tuple[str, ...]  # source texts worth translating
    run: Path | None  # None before learning has begun
    longest_source: int | None = None  # tokens of the longest source of the train split, <eos> counted, if known
    unigram_loss: float | None = None  # valid/loss of a model that knows only token frequencies, if known
    plugin_left_out: Mapping[str, int] = field(default_factory=dict)  # split -> pairs left out by its options
    fingerprint: str = ""  # of the data
    picked: str = ""  # for a new run what `auto` picked, why, and CUDA graphs; and that its precision is imitated


@dataclass(frozen=True, kw_only=True)
class RunStarted(Event):
    """From here on a run folder exists, and holds what follows."""

    run: Path
    step: int


@dataclass(frozen=True, kw_only=True)
class StepsDone(Event):
    """Steps `first_step ... first_step + n - 1` are done; each array holds n values of the metric it is named after.

    Keys: time (seconds since the epoch), train/loss, train/objective, train/grad_norm, train/learning_rate,
    train/target_tokens_per_second, and train/epoch.
    """

    first_step: int
    arrays: dict[str, NDArray[np.float64]]


@dataclass(frozen=True, kw_only=True)
class ValidatedSentence:
    """One sentence of a validation, decoded free-running."""

    source: str
    reference: str
    hypothesis: str
    tokens: tuple[str, ...]  # the reference's tokens, <eos> included
    probability: tuple[float, ...]  # teacher-forced probability of each
    rank: tuple[int, ...]  # 0 if the reference token was the most probable


@dataclass(frozen=True, kw_only=True)
class ValidationDone(Event):
    """A validation of a step, with the built-in metrics and the plugin's own."""

    step: int
    metrics: dict[str, float]
    sentences: tuple[ValidatedSentence, ...] = field(repr=False)
    is_best: bool


@dataclass(frozen=True, kw_only=True)
class ProbeDone(Event):
    """A probe is available; it may replace an earlier one of the same step (a sentence was added)."""

    probe: Probe = field(repr=False)
    is_stored: bool = True  # False if it is not in the run's folder, so that it cannot be read again


@dataclass(frozen=True, kw_only=True)
class CheckpointSaved(Event):
    """A checkpoint was completed; everything before it survives any crash."""

    step: int
    is_best: bool


@dataclass(frozen=True, kw_only=True)
class SnapshotSaved(Event):
    """The weights of this step are kept and can translate."""

    step: int


@dataclass(frozen=True, kw_only=True)
class SettingChanged(Event):
    """A setting was changed; it acts from the step after `step` on."""

    step: int
    key: str
    value: object


@dataclass(frozen=True, kw_only=True)
class Trouble(Event):
    """Something went wrong that a person should read: what, what to do, and details to copy."""

    sentence: str
    advice: str = ""
    details: str = ""
    offer: Offer = ""
    until_prepared: bool = False  # whether it no longer matters once something is prepared again
    is_note: bool = False  # nothing failed, but something differs from what a person may expect


@dataclass(frozen=True, kw_only=True)
class RunFinished(Event):
    """The run ended or was ended; `metrics` are those of the last validation and the last step."""

    run: Path
    step: int
    reason: FinishReason
    metrics: dict[str, float]
