"""The requests to the engine: frozen records, each answered by a future and by events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from core.answers.anatomy import AttentionKind, DotProduct, Masks
from core.answers.beam_tree import BeamTree
from core.answers.evaluation import Evaluation
from core.answers.head_ablation import HeadAblation, HeadId
from core.answers.plugin_report import Bounds, PluginReport
from core.answers.translation import Translation
from core.config import RunConfig
from core.events import Prepared

Answer_co = TypeVar("Answer_co", covariant=True)
Purpose = Literal["learn", "resume", "evaluate", "translate"]


@dataclass(frozen=True, kw_only=True)
class Request(Generic[Answer_co]):
    """A request; `Engine.ask(request)` gives a future of its answer."""


@dataclass(frozen=True, kw_only=True)
class Prepare(Request[Prepared]):
    """Prepare data and model, and probe the untrained model. A later Prepare cancels an earlier one."""

    config: RunConfig


@dataclass(frozen=True, kw_only=True)
class ReloadPlugins(Request[None]):
    """Read the plugin files again at the next Prepare or OpenRun; the present run keeps the code it began with."""


@dataclass(frozen=True, kw_only=True)
class Start(Request[Path]):
    """Make a run folder for what is prepared, in `runs_dir` (named by time and config) or at `run_dir`."""

    runs_dir: Path
    run_dir: Path | None = None
    parent: str | None = None  # name of the run that this one continues
    parent_step: int | None = None  # from which step of it
    group: str | None = None  # of runs that differ only in their seed


@dataclass(frozen=True, kw_only=True)
class MoveRun(Request[Path]):
    """Continue the run in a new folder in `runs_dir`, with copies of all readable files; answers that folder.

    For a folder that can no longer be written. The old folder is left as it is.
    """

    runs_dir: Path


@dataclass(frozen=True, kw_only=True)
class OpenRun(Request[Prepared]):
    """Load a run's data and weights, ready to translate, evaluate or go on learning.

    `checkpoint` is "best", "last" or a step. Only the "last" one can continue learning. `changes` are settings by key.
    With `averaged`, "last" is the mean of the last checkpoints if the run averages them; that cannot continue either.
    `dataset_options` are options by name that give the same pairs after a corpus was moved. They are not stored: a
    branch of the run, or its training in more processes, looks for the pairs in the old place.
    `purpose` decides what happens to a run whose pairs are not available: "learn" reports it, and the run can be looked
    at; "resume", which is to learn and nothing else, and "evaluate" refuse; "translate" does not look for them. With
    "evaluate", `dataset_options` may give other pairs than the held-out ones; the run then cannot continue learning.
    """

    run: Path
    checkpoint: str = "last"
    averaged: bool = False
    changes: tuple[tuple[str, object], ...] = ()
    dataset_options: tuple[tuple[str, object], ...] = ()
    purpose: Purpose = "learn"


@dataclass(frozen=True, kw_only=True)
class Branch(Request[Prepared]):
    """Begin a new run in `runs_dir` with the weights that `run` kept at `step`, and with its history until then.

    `changes` are settings by key for the new run, which is paused at `step`, ready to learn; the old run is left as it
    is. If only weights were kept, or a change requires it, the optimizer starts afresh, which is reported.
    `replaces_branch`: if the old run is a branch that has taken no step yet, the new one gets its parent and its name.
    """

    run: Path
    step: int
    runs_dir: Path
    changes: tuple[tuple[str, object], ...] = ()
    replaces_branch: bool = False


@dataclass(frozen=True, kw_only=True)
class Learn(Request[None]):
    """Take `steps` more steps; None: go on to max_steps. The patience of a run that stopped early starts again."""

    steps: int | None = None


@dataclass(frozen=True, kw_only=True)
class Pause(Request[int]):
    """Pause between two steps; answers the step. Nothing is lost, and the run does not end."""


@dataclass(frozen=True, kw_only=True)
class SetPace(Request[None]):
    """Limit the steps per second; None: no limit. It never changes the weights."""

    steps_per_second: float | None


@dataclass(frozen=True, kw_only=True)
class SetProcesses(Request[None]):
    """From the next Learn on, use this many processes of this machine. Without dropout, the losses are those of one."""

    num_processes: int


@dataclass(frozen=True, kw_only=True)
class Finish(Request[Path | None]):
    """End the run now: validate, save, release its folder."""


@dataclass(frozen=True, kw_only=True)
class Stop(Request[Path | None]):
    """Save a checkpoint at once and leave the run to be resumed later (after a signal, or when the window closes)."""


@dataclass(frozen=True, kw_only=True)
class ChangeSetting(Request[None]):
    """Change a setting whose effect is `now`, between two steps."""

    key: str  # "training.optimizer.learning_rate"
    value: Any


@dataclass(frozen=True, kw_only=True)
class AddSentence(Request[None]):
    """Include this sentence in every probe from now on, and in probes of the past steps with snapshots."""

    source: str


@dataclass(frozen=True, kw_only=True)
class Translate(Request[tuple[Translation, ...]]):
    """Translate texts with the present weights, or with those of a kept step (the nearest at or before `step`).

    `prefix` are target tokens with which every output begins; an `<eos>` in it ends the output. `references`, one for
    each text or none at all, are also fed to the decoder if attention is requested. `run` is the folder of another run
    whose model is to translate: `step` is then one of its steps, None its best. With `minimum_risk`, the output is
    the one with the fewest expected errors in the beam (minimum Bayes risk), not the likeliest.
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
    """Find the first of these texts that cannot be translated: its index, from 0, and why; None if all can."""

    texts: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SearchBeam(Request[BeamTree]):
    """Decode one text with a beam and greedily, with the present weights or those kept at or before `step`.

    `prefix` are target tokens with which every output begins, as in `Translate`.
    """

    source: str
    beam_size: int
    length_penalty: float
    step: int | None = None
    prefix: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class DissectHead(Request[DotProduct]):
    """Compute one attention head step by step, with the present weights or those kept at or before `step`.

    The decoder reads the reference, or if that is None, its own output.
    """

    source: str
    reference: str | None
    kind: AttentionKind
    layer: int
    head: int
    step: int | None = None


@dataclass(frozen=True, kw_only=True)
class LeaveOutHeads(Request[HeadAblation]):
    """Compare one sentence and a few validation pairs with all attention heads and without these.

    Uses the present weights or those kept at or before `step`, and does not change them.
    """

    source: str
    reference: str | None
    heads: tuple[HeadId, ...]
    step: int | None = None


@dataclass(frozen=True, kw_only=True)
class LocateData(Request[Path | None]):
    """The folder of the present run's prepared pairs; None if the run was opened without its dataset's plugin."""


@dataclass(frozen=True, kw_only=True)
class MakeMasks(Request[Masks]):
    """What each position of a target may attend to, with `num_padding` (at most MAX_PADDING) `<pad>` added."""

    target: str
    num_padding: int


@dataclass(frozen=True, kw_only=True)
class Evaluate(Request[Evaluation]):
    """Evaluate the present weights on a split ("valid" or "test") of the run's data.

    With `minimum_risk`, the output of a beam is the one with the fewest expected errors, not the likeliest.
    """

    split: str = "valid"
    minimum_risk: bool = False


@dataclass(frozen=True, kw_only=True)
class CheckPlugin(Request[PluginReport]):
    """Check a dataset plugin, also while a run is learning; Progress events report how far it is.

    `plugin` is its name or its .py file in any folder; `options` are those that are not at their defaults. A later
    check, or cancelling the future, ends this one.
    """

    plugin: str
    options: Mapping[str, Any] = field(default_factory=dict)
    with_learning: bool = True  # test whether a small model learns 32 of its pairs, if there are no findings
    bounds: Bounds = field(default_factory=Bounds)


@dataclass(frozen=True, kw_only=True)
class Close(Request[None]):
    """Save what is unsaved and end the engine's thread; later requests are refused."""
