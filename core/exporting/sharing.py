"""Packs a run into one file for others to look at step by step: without optimizer state, and no plugin is needed.

The recipient keeps it as a run in their runs folder that is marked as shared: it is opened with what it knows of its
data, no code of it is imported, and it cannot train on. A branch of it can, where the plugin is installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from filecmp import cmpfiles
from pathlib import Path

from core.at_path import exists
from core.errors import UserError
from core.run_files.archive import unpack, write_archive
from core.run_files.documents import checksum, json_bytes, reporting_read_errors
from core.run_files.file_names import ENVIRONMENT, LABEL, METRICS, STATE
from core.run_files.hidden_folders import unpacking_folder
from core.run_files.label import label_bytes
from core.run_files.runs_dir import numbered_paths, safe_folder_name
from core.run_files.state import RunState, state_bytes
from core.run_files.step_files import SNAPSHOTS, STEP_FILE_SUFFIXES, step_path
from core.run_files.tensors import tensor_bytes
from core.run_files.write_errors import reporting_write_errors
from core.run_folder import RunFolder, Weights

_ENDED = ("finished", "failed", "stopped")
_PRIVATE_KEYS = ("command_line",)  # left out of environment.json, since it names folders and people


def share(run: RunFolder, path: Path) -> None:
    """Write the run to a file: curves, validations, probes, and the weights it kept. Raises UserError if it cannot."""
    if not run.kept_steps():
        raise UserError(f"{run.path.name} has kept no weights yet: there is nothing to look at.", "Let it learn first.")
    with reporting_write_errors(path, "--output", error_type=UserError):
        write_archive(path, _files(run))


def receive(path: Path, runs_dir: Path) -> Path:
    """Unpack a shared file as a run folder in `runs_dir`, or find the one that it was unpacked to before.

    A run that has trained on since counts as another. Raises UserError if the file is no shared run, or `runs_dir`
    cannot be written; then nothing of it is left.
    """
    with reporting_write_errors(runs_dir, error_type=UserError):
        runs_dir.mkdir(parents=True, exist_ok=True)
        with unpacking_folder(runs_dir) as temporary:
            folder = Path(temporary) / "run"
            folder.mkdir()
            unpack(path, folder)
            state = _mark_shared(folder, path)
            for target in numbered_paths(runs_dir, safe_folder_name(path.stem)):
                if not exists(target):
                    return folder.rename(target)
                if _has_same_content(target, folder, state):
                    return target
    raise AssertionError("the names never end")


def _mark_shared(folder: Path, received: Path) -> RunState:
    """Mark the run as shared, whatever it says itself. Raises UserError, naming the file, if it is no run."""
    try:
        run = RunFolder.open(folder)
        run.label()
        run.model_documents()
    except UserError as error:
        raise UserError(error.sentence.replace(str(folder), str(received)), error.advice) from None
    run.update(is_shared=True, pid=None, host=None, pid_started=None)
    return run.state


def _has_same_content(target: Path, folder: Path, state: RunState) -> bool:
    """Whether `target` holds what was unpacked into `folder`; in a shared run, only the label is ever rewritten."""
    with suppress(UserError):
        known = RunFolder.open(target).state
        files = [str(path.relative_to(folder)) for path in folder.rglob("*.*") if path.name not in (LABEL, STATE)]
        same, _, _ = cmpfiles(folder, target, files, shallow=False)
        return replace(known, updated=state.updated) == state and same == files
    return False


def model_files(run: RunFolder, step: int, weights: Weights) -> Iterator[tuple[str, bytes]]:
    """The files of a shared run with only these weights: all it takes to translate."""
    state = replace(run.state, last_step=step, best_step=None, best_value=None, best_metric=None)
    yield from _documents(run, state, run.model_documents_at(step))
    yield _snapshot(step, weights)


def _files(run: RunFolder) -> Iterator[tuple[str, bytes]]:
    yield from _documents(run, run.state, run.model_documents())
    if exists(run.path / METRICS):
        yield METRICS, run.metrics_file.whole_lines()[1]  # no later checkpoint will cut them back
    for folder, suffix in STEP_FILE_SUFFIXES.items():
        yield from _matching_files(run, f"{folder}/*{suffix}")
    for step in sorted(_checkpoints(run) - set(run.snapshot_steps())):
        yield _snapshot(step, run.weights(step))


def _snapshot(step: int, weights: Weights) -> tuple[str, bytes]:
    return step_path(Path(), SNAPSHOTS, step).as_posix(), tensor_bytes(weights, {"step": step})


def _documents(run: RunFolder, state: RunState, of_model: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    environment = {name: value for name, value in run.environment().items() if name not in _PRIVATE_KEYS}
    documents = of_model | {ENVIRONMENT: json_bytes(environment)}
    checksums = {name: checksum(data) for name, data in documents.items()}
    yield from documents.items()
    yield LABEL, label_bytes(run.label())
    yield STATE, state_bytes(_shared_state(state, checksums))


def _shared_state(state: RunState, checksums: dict[str, str]) -> RunState:
    ended = state.state if state.state in _ENDED else "stopped"
    return replace(
        state, state=ended, is_shared=True, checksums=checksums, pid=None, host=None, pid_started=None, metrics_size=0
    )


def _matching_files(run: RunFolder, pattern: str) -> Iterator[tuple[str, bytes]]:
    for path in sorted(run.path.glob(pattern)):
        with reporting_read_errors(path), suppress(FileNotFoundError):  # the process that trains it thinned it out
            yield path.relative_to(run.path).as_posix(), path.read_bytes()


def _checkpoints(run: RunFolder) -> set[int]:
    """The steps of the best and the last checkpoint."""
    steps = run.checkpoint_steps()
    return {step for step in (*steps[-1:], run.state.best_step) if step in steps}
