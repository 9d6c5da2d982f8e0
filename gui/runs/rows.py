"""The rows of the Runs view: every folder in the runs folder, and the example run, as plain values.

Reading waits for a disk: `RunRowReader.read` runs beside the GUI thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from core.at_path import is_dir
from core.errors import UserError
from core.run_files.file_names import CONFIG, LABEL, METRICS, STATE
from core.run_files.step_files import CHECKPOINTS, SNAPSHOTS
from core.run_folder import RunFolder
from core.runs.run_summary import RunSummary, best_value, summarise, unreadable_state

NUM_LOSSES = 40  # in a row's small curve
NUM_NEW = 50  # runs that one reading adds: of hundreds, the newest are listed at once
EXAMPLE_NAME = "Example run"
EXAMPLE_IS_READ_ONLY = "The example run stays as it is: Reset begins a run of your own with its settings"
STATES = {"new": "begun", "learning": "learning here", "paused": "paused here"}
REASONS = {
    "max_steps": "",
    "stopped": "",
    "early_stopping": "stopped early",
    "finished_by_user": "ended by hand",
    "diverged": "the loss diverged",
    "disk": "the disk could not be written",
    "memory": "memory ran out",
    "plugin": "a plugin failed",
    "process": "one of its other processes ended",
    "fault": "an internal error of Headlight",
}


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """One row of the table; `problem` says why a folder cannot be read as a run."""

    path: Path
    name: str  # given by the user, or that of its settings
    given_name: str = ""  # by the user
    seed: int = 0
    note: str = ""
    parent: str | None = None  # folder name of the run it continues
    parent_step: int | None = None
    group: str | None = None  # name shared with runs that differ in their seed alone
    created: float = 0.0  # seconds since the epoch
    state: str = ""
    writer: str | None = None  # another process that writes it now, in words
    is_ours: bool = False  # this window writes it
    is_example: bool = False
    is_shared: bool = False  # received in one file
    step: int = 0
    losses: tuple[float, ...] = ()  # of training, from the first step to the last
    best_loss: float | None = None
    exact_match: float | None = None
    checkpoint_steps: tuple[int, ...] = ()
    snapshot_steps: tuple[int, ...] = ()
    problem: str = ""

    @property
    def kept_steps(self) -> list[int]:
        """Steps whose weights were kept, ascending."""
        return sorted({*self.checkpoint_steps, *self.snapshot_steps})


@cache  # called at every refresh of the window, and a look at the disk each time
def example_path() -> Path:
    """The folder of the finished run that is shipped with Headlight."""
    return Path(str(files("resources").joinpath("finished_run")))


class RunRowReader:
    """Reads rows; after the first time only those whose files have changed."""

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self._known: dict[Path, tuple[object, RunRow]] = {}
        self.has_read_all = False  # at the last reading

    def read(self) -> list[RunRow]:
        """The newest run first, the example last. Of runs never read before, at most `NUM_NEW` are added."""
        paths = [path for path in self._runs_dir.iterdir() if _has_row(path)] if is_dir(self._runs_dir) else []
        new = sorted((path for path in paths if path not in self._known), reverse=True)  # names begin with the time
        later = set(new[NUM_NEW:])
        self.has_read_all = not later
        listed = (self._row(path) for path in paths if path not in later)
        rows = sorted(listed, key=lambda row: row.created, reverse=True)
        return [*rows, self._row(example_path())]

    def _row(self, path: Path) -> RunRow:
        stamp = _stamp(path)
        known = self._known.get(path)
        changes_no_file = known is not None and (known[1].writer or known[1].problem)  # a writer that ends; permissions
        if known is None or known[0] != stamp or changes_no_file:
            known = self._known[path] = stamp, read_row(path)
        return known[1]


def _has_row(path: Path) -> bool:
    """Whether it is a folder that is not hidden, or a link that leads to where nobody may look: it may be a run."""
    try:
        return path.name[0] != "." and is_dir(path)
    except OSError:
        return True


def matches(row: RunRow, text: str) -> bool:
    """Whether each word of `text` occurs in the run's name, folder name, state or note, in capitals or not."""
    known = f"{row.name} {row.path.name} {row.state} {row.note}".casefold()
    return all(word in known for word in text.casefold().split())


def read_row(path: Path) -> RunRow:
    """The row of one folder; for a damaged, newer or foreign one with the `problem`."""
    try:
        folder = RunFolder.open(path)
        summary, label = summarise(folder), folder.label()
        validations, last_step = folder.validation_metrics(), folder.last_trained_step()
    except (UserError, OSError) as error:
        state = unreadable_state(error)
        return RunRow(path=path, name=path.name, created=_created_at(path), state=state, problem=str(error))
    is_example = path == example_path()
    return RunRow(
        path=path,
        name=EXAMPLE_NAME if is_example else summary.name,
        given_name=label.name,
        seed=summary.seed,
        note=summary.note,
        parent=summary.parent,
        parent_step=summary.parent_step,
        group=summary.group,
        created=summary.created,
        state=state_in_words(summary),
        writer=summary.writer,
        is_ours=folder.is_ours(),
        is_example=is_example,
        is_shared=summary.is_shared,
        step=max(summary.last_step, last_step),
        losses=tuple(folder.sampled_losses(NUM_LOSSES)),
        best_loss=best_value(validations, "valid/loss", smallest=True),
        exact_match=best_value(validations, "valid/exact_match", smallest=False),
        checkpoint_steps=tuple(folder.checkpoint_steps()),
        snapshot_steps=tuple(folder.snapshot_steps()),
    )


def state_in_words(summary: RunSummary) -> str:
    """`finished: stopped early`, `learning by process 4711`, `failed: the loss diverged`."""
    if summary.writer is not None:
        return f"{summary.state} by {summary.writer}"
    state = STATES.get(summary.state, summary.state)
    reason = REASONS.get(summary.reason or "", summary.reason)
    state = f"{state}: {reason}" if reason else state
    return f"shared, {state}" if summary.is_shared else state


def _stamp(path: Path) -> tuple[int, ...]:
    """Changes with every file that a row is read from."""
    names = (".", STATE, CONFIG, LABEL, METRICS, CHECKPOINTS, SNAPSHOTS)
    return tuple(_changed_at(path / name) for name in names)


def _changed_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:  # it is not there, or in a folder that may not be searched
        return 0


def _created_at(path: Path) -> float:
    return _changed_at(path) / 1e9
