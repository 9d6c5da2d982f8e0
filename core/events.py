"""What happened: frozen records that leave the engine. Plain Python and numpy only, never a tensor."""

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
    """A stage that takes a while (preparing, validating, decoding) went on; `total` is None where nobody knows it.

    Of pairs that are drawn from files, it is what the bytes read so far let expect.
    """

    stage: str
    done: int
    total: int | None


@dataclass(frozen=True, kw_only=True)
class Prepared(Event):
    """Data and untrained (or reopened) model stand ready; the probe follows as `ProbeDone`."""

    config: RunConfig  # every auto resolved
    num_parameters: int
    src_tokens: tuple[str, ...]  # the vocabularies, id by id
    tgt_tokens: tuple[str, ...]
    num_pairs: dict[str, int | None]  # split -> pairs, None where it is endless
    left_out: dict[str, int]  # split -> pairs longer than the lengths allow; of endless data, in the first shard
    limits: dict[str, float]  # metric -> best value anyone can reach
    examples: tuple[str, ...]  # source texts worth translating
    run: Path | None  # None before learning has begun
    unigram_loss: float | None = None  # valid/loss of a model that knows token frequencies only, where it is known
    plugin_left_out: Mapping[str, int] = field(default_factory=dict)  # split -> pairs its own options leave out
    fingerprint: str = ""  # of the data
    picked: str = ""  # what precision and num_threads became where they were auto, and why; empty of an opened run


@dataclass(frozen=True, kw_only=True)
class RunStarted(Event):
    """A run folder exists from here on; what follows is kept in it."""

    run: Path
    step: int


@dataclass(frozen=True, kw_only=True)
class StepsDone(Event):
    """Steps `first_step ... first_step + n - 1` are done; each array holds n values under its metric's name.

    Keys: train/loss, train/objective, train/learning_rate, train/grad_norm, train/target_tokens_per_second,
    train/epoch, and time (seconds since the epoch).
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
    rank: tuple[int, ...]  # 0 where the reference token was the most probable


@dataclass(frozen=True, kw_only=True)
class ValidationDone(Event):
    """A validation at a step, with the metrics of every dataset and the plugin's own."""

    step: int
    metrics: dict[str, float]
    sentences: tuple[ValidatedSentence, ...] = field(repr=False)
    is_best: bool


@dataclass(frozen=True, kw_only=True)
class ProbeDone(Event):
    """A probe is there to be drawn; it may replace an earlier one of the same step (a sentence was added)."""

    probe: Probe = field(repr=False)
    is_stored: bool = True  # False where the run's folder has not got it: nobody can read it again


@dataclass(frozen=True, kw_only=True)
class CheckpointSaved(Event):
    """A checkpoint was published; everything before it survives any crash."""

    step: int
    is_best: bool


@dataclass(frozen=True, kw_only=True)
class SnapshotSaved(Event):
    """The weights of this step are kept and can translate."""

    step: int


@dataclass(frozen=True, kw_only=True)
class SettingChanged(Event):
    """A setting acts from the step after `step` on."""

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
    until_prepared: bool = False  # it holds no longer once something is prepared anew
    is_note: bool = False  # nothing failed: it went another way than a person may expect


@dataclass(frozen=True, kw_only=True)
class RunFinished(Event):
    """The run came to its end or was ended; `metrics` are the newest validation's and the last step's."""

    run: Path
    step: int
    reason: FinishReason
    metrics: dict[str, float]
