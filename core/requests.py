"""What somebody wants of the engine: frozen records, each answered by a future and by events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from core.answers.anatomy import AttentionKind, DotProduct, Masks
from core.answers.beam_tree import BeamTree
from core.answers.evaluation import Evaluation
from core.answers.left_out import HeadPlace, LeftOut
from core.answers.translation import Translation
from core.config import RunConfig
from core.doctor.findings import Bounds, PluginReport
from core.events import Prepared

Answer_co = TypeVar("Answer_co", covariant=True)
Purpose = Literal["learn", "resume", "evaluate", "translate"]


@dataclass(frozen=True, kw_only=True)
class Request(Generic[Answer_co]):
    """A wish; `Engine.ask(request)` gives a future of its answer."""


@dataclass(frozen=True, kw_only=True)
class Prepare(Request[Prepared]):
    """Make data and model ready and probe the untrained model. A later Prepare cancels an earlier one."""

    config: RunConfig


@dataclass(frozen=True, kw_only=True)
class ReloadPlugins(Request[None]):
    """Read the plugin files anew with the next Prepare or OpenRun; the run at hand keeps the code it began with."""


@dataclass(frozen=True, kw_only=True)
class Start(Request[Path]):
    """Begin a run folder for what is prepared, in `runs_dir` (its name made from time and config) or at `run_dir`."""

    runs_dir: Path
    run_dir: Path | None = None
    parent: str | None = None  # name of the run that this one continues
    parent_step: int | None = None  # from which step of it
    group: str | None = None  # of runs that differ in their seed alone


@dataclass(frozen=True, kw_only=True)
class MoveRun(Request[Path]):
    """Keep the run in a new folder in `runs_dir` from here on, all that can be copied with it; answers that folder.

    For a place that cannot be written any more. The old folder is left as it is.
    """

    runs_dir: Path


@dataclass(frozen=True, kw_only=True)
class OpenRun(Request[Prepared]):
    """Load a run's data and weights, ready to translate, evaluate or go on learning.

    `checkpoint` is "best", "last" or a step. Only the "last" one can continue learning. `changes` are settings by key.
    `averaged` turns the "last" into the mean of the last ones where the run averages them; that cannot go on either.
    `dataset_options` are by name those that give the same pairs here, where a corpus was moved. They are not kept: who
    branches the run, or has more processes train it, asks for the pairs where they were.
    `purpose` decides what becomes of a run whose pairs are not at hand: opened to learn, that is told, and it can be
    looked at; to resume it, which is to learn and nothing else, or to evaluate, it is refused; to translate, they are
    not missed. To evaluate, `dataset_options` may give other pairs in place of the held-out ones; the run cannot go on
    learning then.
    """

    run: Path
    checkpoint: str = "last"
    averaged: bool = False
    changes: tuple[tuple[str, object], ...] = ()
    dataset_options: tuple[tuple[str, object], ...] = ()
    purpose: Purpose = "learn"


@dataclass(frozen=True, kw_only=True)
class Branch(Request[Prepared]):
    """Begin a new run in `runs_dir` with the weights that `run` kept at `step`, and all that it did until then.

    `changes` are settings by key, made in the new run. It stands still at `step`, ready to learn; the other run is left
    as it is. Where only weights were kept, or a change asks for it, the optimizer starts afresh, which is told.
    `in_its_place`: where the other is a branch that has taken no step yet, the new one has its parent and its name.
    """

    run: Path
    step: int
    runs_dir: Path
    changes: tuple[tuple[str, object], ...] = ()
    in_its_place: bool = False


@dataclass(frozen=True, kw_only=True)
class Learn(Request[None]):
    """Take `steps` more steps, or go on to max_steps where it is None. A run that stopped early has new patience."""

    steps: int | None = None


@dataclass(frozen=True, kw_only=True)
class Pause(Request[int]):
    """Stop between two steps; answers the step. Nothing is lost and nothing ends."""


@dataclass(frozen=True, kw_only=True)
class SetPace(Request[None]):
    """At most this many steps a second, or as fast as it goes where it is None. Never changes weights."""

    steps_per_second: float | None


@dataclass(frozen=True, kw_only=True)
class SetProcesses(Request[None]):
    """Learn in so many processes of this machine from the next Learn on: without dropout, with the losses of one."""

    num_processes: int


@dataclass(frozen=True, kw_only=True)
class Finish(Request[Path | None]):
    """End the run here: validate, save, close its folder."""


@dataclass(frozen=True, kw_only=True)
class Stop(Request[Path | None]):
    """Save a checkpoint at once and leave the run to be resumed (a signal, a closing window)."""


@dataclass(frozen=True, kw_only=True)
class ChangeSetting(Request[None]):
    """Change a setting whose effect is `now`, between two steps."""

    key: str  # "training.optimizer.learning_rate"
    value: Any


@dataclass(frozen=True, kw_only=True)
class AddSentence(Request[None]):
    """Follow this sentence in every probe from now on, and back through the snapshots."""

    source: str


@dataclass(frozen=True, kw_only=True)
class Translate(Request[tuple[Translation, ...]]):
    """Translate texts with the weights of this moment, or with those of a kept step (the nearest one at or before).

    `prefix` are target tokens that the output begins with, whatever the model would have written; `<eos>` ends it.
    `references`, one a text or none at all, are what the decoder is fed besides, where attention is asked for.
    `run` has the model of another run translate, in its folder: `step` is one of its steps then, None its best.
    With `minimum_risk` the output is not the likeliest of a beam, but that with the fewest errors to be expected.
    """

    texts: tuple[str, ...]
    step: int | None = None
    with_attention: bool = False
    with_n_best: bool = False
    prefix: tuple[str, ...] = ()
    references: tuple[str | None, ...] = ()
    run: Path | None = None
    minimum_risk: bool = False


@dataclass(frozen=True, kw_only=True)
class FindUnreadable(Request[tuple[int, str] | None]):
    """The place of the first of these texts that cannot be translated, counted from 0, and why; None where all can."""

    texts: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SearchBeam(Request[BeamTree]):
    """Decode one text with a beam and greedily, with the weights of this moment or those kept at or before a step.

    `prefix` are target tokens that every output begins with, as in `Translate`.
    """

    source: str
    beam_size: int
    length_penalty: float
    step: int | None = None
    prefix: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class DissectHead(Request[DotProduct]):
    """Work one head out step by step, with the weights of this moment or those kept at or before a step.

    The decoder reads the reference, or what it writes itself where that is None.
    """

    source: str
    reference: str | None
    kind: AttentionKind
    layer: int
    head: int
    step: int | None = None


@dataclass(frozen=True, kw_only=True)
class LeaveOutHeads(Request[LeftOut]):
    """See one sentence and a few validation pairs with all attention heads and without these.

    With the weights of this moment or those kept at or before a step, which stay as they are.
    """

    source: str
    reference: str | None
    heads: tuple[HeadPlace, ...]
    step: int | None = None


@dataclass(frozen=True, kw_only=True)
class LocateData(Request[Path | None]):
    """Where the prepared pairs of the run at hand lie; None where a run was opened without its dataset's plugin."""


@dataclass(frozen=True, kw_only=True)
class MakeMasks(Request[Masks]):
    """What each position of a target may read, with so many `<pad>` behind it, MOST_PADDING at most."""

    target: str
    num_padding: int


@dataclass(frozen=True, kw_only=True)
class Evaluate(Request[Evaluation]):
    """Evaluate the weights of this moment on a split ("valid" or "test") of the run's data.

    With `minimum_risk` what is scored of a beam is the output with the fewest errors to be expected, not the likeliest.
    """

    split: str = "valid"
    minimum_risk: bool = False


@dataclass(frozen=True, kw_only=True)
class CheckPlugin(Request[PluginReport]):
    """Look for whatever is wrong with a dataset plugin, beside a run that learns meanwhile; Progress tells how far.

    `plugin` is its name or its .py file, wherever that is; `options` are those that are not at their defaults. A later
    check, or cancelling the future, ends this one.
    """

    plugin: str
    options: Mapping[str, Any] = field(default_factory=dict)
    with_learning: bool = True  # see whether a small model learns 32 of its pairs, where all else is well
    bounds: Bounds = field(default_factory=Bounds)


@dataclass(frozen=True, kw_only=True)
class Close(Request[None]):
    """Save what is unsaved and end the engine's thread; whatever is asked later is refused."""
