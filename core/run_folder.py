"""One run on disk: config, environment, vocabulary, metrics, validations, probes, snapshots, checkpoints, log.

Every file is written whole or not at all and has a checksum, so that a crash at any instant leaves the newest complete
checkpoint readable. Reading executes no code and follows no path that is in a file.
An OSError means that the folder cannot be written (a full disk); a UserError names a damaged or missing file.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.at_path import exists
from core.config import RunConfig, TrainingConfig, config_from_document, config_to_yaml
from core.errors import UserError
from core.events import SettingChanged, ValidatedSentence, ValidationDone
from core.probes import Probe
from core.run_files import metrics_lines
from core.run_files.atomic import write_atomically
from core.run_files.averaging import averaged_steps, mean_weights
from core.run_files.checkpoint_files import (
    Checkpoint,
    checkpoint_path,
    complete_checkpoints,
    read_changes,
    read_checkpoint,
    read_checkpoint_weights,
    write_checkpoint,
)
from core.run_files.confined import require_confined
from core.run_files.copying import read_to_copy
from core.run_files.documents import DamagedFile, checksum, json_bytes, json_object, read_file
from core.run_files.file_names import CONFIG, ENVIRONMENT, LABEL, LOG, METRICS, STATE, VOCABULARY
from core.run_files.label import RunLabel, label_bytes, read_label
from core.run_files.metrics_file import MetricsFile
from core.run_files.probe_file import probe_bytes, read_probe_file
from core.run_files.runs_dir import (
    default_runs_dir,
    find_run,
    is_run,
    list_runs,
    make_run_dir,
    not_empty_error,
    require_empty,
    require_run,
    undo_run_dir,
)
from core.run_files.single_writer import SingleWriterFolder
from core.run_files.state import RunState, now, read_state
from core.run_files.step_files import (
    CHECKPOINTS,
    PROBES,
    SNAPSHOTS,
    STEP_FOLDERS,
    VALIDATIONS,
    remove_step,
    step_path,
    steps_in,
)
from core.run_files.tensors import read_tensors, tensor_bytes
from core.run_files.thinning import steps_to_keep
from core.run_files.unsynced_files import UnsyncedFiles
from core.run_files.validation_file import read_validation_file, validation_bytes
from core.run_files.write_errors import reporting_write_errors
from core.settings.over_time import config_at
from core.user_input.strict_yaml import read_written_yaml

__all__ = ["Checkpoint", "RunFolder", "RunLabel", "RunState", "default_runs_dir", "find_run", "is_run", "list_runs"]

Weights = dict[str, NDArray[Any]]

VALIDATIONS_KEPT = 100  # with their sentences; the metrics of all validations are kept


class RunFolder(SingleWriterFolder):
    """The only access to a run's files. One process writes (see `claim`); any number may read."""

    def __init__(self, path: Path, state: RunState) -> None:
        super().__init__(path, state)
        self._unsynced = UnsyncedFiles()  # metrics, validations, probes and snapshots since the newest checkpoint
        self._training = TrainingConfig()  # see `use_settings`

    # -- creating, opening, releasing ----------------------------------------------------------------------------------

    @classmethod
    def create(cls, runs_dir: Path, name: str) -> RunFolder:
        """Make a new run in `runs_dir`, in a folder named by the current time and `name`."""
        with reporting_write_errors(runs_dir):
            return cls._create_in(make_run_dir(runs_dir, name))

    @classmethod
    def create_at(cls, path: Path) -> RunFolder:
        """Make a new run in exactly this folder, which must not exist or be empty."""
        with reporting_write_errors(path, "--run-dir"):
            was_there = exists(path)
            path.mkdir(parents=True, exist_ok=True)
            require_empty(path)
            try:
                return cls._create_in(path, was_there=was_there)
            except FileExistsError:  # another process began a run there at the same moment
                raise not_empty_error(path) from None

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Open a run for reading (and, after `claim`, for writing). Raises UserError if `path` is not a run."""
        require_run(path)
        require_confined(path)
        folder = cls(path, read_state(path / STATE))
        folder._correct_last_step()
        folder.use_settings(folder.config().training)
        return folder

    @classmethod
    def _create_in(cls, path: Path, *, was_there: bool = False) -> RunFolder:
        (path / STEP_FOLDERS[0]).mkdir()  # if two processes begin here, the second one fails at this
        try:
            for name in STEP_FOLDERS[1:]:
                (path / name).mkdir()
            (path / LOG).touch()
            (path / METRICS).touch()
            folder = cls(path.resolve(), RunState(created=now()))
            folder.update()
            folder.claim_unreported()
        except BaseException:  # a full disk, say
            undo_run_dir(path, was_there=was_there)
            raise
        return folder

    def release(self, state: str, reason: str | None = None) -> None:
        """Sync what was written since the newest checkpoint, and let other processes write the run."""
        with suppress(OSError):  # the disk is gone: a power cut may then damage more
            self._unsynced.sync()
        super().release(state, reason)

    # -- the run as a whole --------------------------------------------------------------------------------------------

    def is_untrained_branch(self) -> bool:
        """Whether this is a branch with nothing but its parent's past, which no process is writing."""
        if self._state.parent_step is None or self._state.is_shared or self._state.writer() is not None:
            return False
        return self.reached_step() <= self._state.parent_step

    def reached_step(self) -> int:
        """The newest step with metrics or weights, 0 before the first. metrics.jsonl may have been deleted."""
        return max(0, self.last_trained_step(), *self.kept_steps())

    def copy_file(self, path: Path, other: RunFolder) -> None:
        """Copy a file of another run folder to the same place in this one, unless it has been removed meanwhile."""
        data = read_to_copy(path)
        if data is not None:
            copy = self.path_to_write / path.relative_to(other.path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            self._unsynced.write(copy, data)

    # -- documents ---------------------------------------------------------------------------------------------------

    def write_config(self, config: RunConfig) -> None:
        """Write config.yaml: all settings, every auto resolved."""
        self._write_document(CONFIG, config_to_yaml(config).encode())
        self.use_settings(config.training)

    def config(self) -> RunConfig:
        """The config the run began with; later changes are in `settings_changed` and in the checkpoints."""
        return _parse_config(self._read_document(CONFIG).decode(), str(self.path / CONFIG))

    def latest_config(self) -> RunConfig:
        """The config with all settings changed since the run began."""
        return config_at(self.config(), self.settings_changed())

    def config_at(self, step: float) -> RunConfig:
        """The config with which this step was taken, whatever was changed after it."""
        return config_at(self.config(), self.settings_changed(), step)

    def write_environment(self, environment: Mapping[str, Any]) -> None:
        """Write environment.json."""
        self._write_document(ENVIRONMENT, json_bytes(environment))

    def environment(self) -> dict[str, Any]:
        """Read environment.json: versions, device, threads, command line, code revision, data fingerprint."""
        return json_object(self._read_document(ENVIRONMENT), self.path / ENVIRONMENT)

    def write_vocabulary(self, vocabulary: Mapping[str, Any]) -> None:
        """Write vocabulary.json."""
        self._write_document(VOCABULARY, json_bytes(vocabulary))

    def vocabulary(self) -> dict[str, Any]:
        """Read vocabulary.json: what tokenising and decoding ids need, from `PreparedData.vocabulary_document`."""
        return json_object(self._read_document(VOCABULARY), self.path / VOCABULARY)

    def write_subword_models(self, models: Mapping[str, bytes]) -> None:
        """Write src.model and tgt.model, for the sides that have subwords."""
        for side, model in models.items():
            self._write_document(f"{side}.model", model)

    def subword_models(self) -> dict[str, bytes]:
        """The subword models of "src" and "tgt", for the sides that have subwords."""
        tokenizer = self.config().dataset.tokenizer
        subwords = {} if tokenizer == "auto" else tokenizer.subwords
        return {side: self._read_document(f"{side}.model") for side in subwords}

    def model_documents(self) -> dict[str, bytes]:
        """The documents that weights need to be of use, by name."""
        subwords = {f"{side}.model": model for side, model in self.subword_models().items()}
        return {name: self._read_document(name) for name in (CONFIG, VOCABULARY)} | subwords

    def model_documents_at(self, step: int) -> dict[str, bytes]:
        """The documents for the weights of one step: config.yaml has the settings that opening the run there gives."""
        config = config_at(self.config(), self.changes_kept_with(step))
        return self.model_documents() | {CONFIG: config_to_yaml(config).encode()}

    def changes_kept_with(self, step: int) -> list[SettingChanged]:
        """The changes of settings that the weights of a step were kept with, in order.

        A checkpoint is saved after those of its own step, or between them; a snapshot before. A shared run has no
        checkpoints: its last one came after all changes of its step.
        """
        if step in self.checkpoint_steps():
            changes = read_changes(checkpoint_path(self.path, step))
            return [SettingChanged(step=at, key=key, value=value) for at, key, value in changes]
        end = step + 1 if self._state.is_shared and step == self._state.last_step else step
        return [changed for changed in self.settings_changed() if changed.step < end]

    def write_label(self, label: RunLabel) -> None:
        """Write the user's name and note. Needs no claim: allowed while another process trains the run."""
        path = self.path / LABEL
        with reporting_write_errors(path, advice="Name the run once it can be written.", error_type=UserError):
            write_atomically(path, label_bytes(label))

    def label(self) -> RunLabel:
        """The user's name and note for the run."""
        return read_label(self.path / LABEL)

    def log(self, text: str) -> None:
        """Append a line to log.txt, with the time."""
        with (self.path_to_write / LOG).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {text.rstrip()}\n")

    def use_settings(self, training: TrainingConfig) -> None:
        """Keep snapshots and checkpoints by these settings from now on: the config's, or as changed during the run."""
        self._training = training

    def _write_document(self, name: str, data: bytes) -> None:
        known = dict(self._state.checksums)
        if known.pop(name, None) is not None:  # so that no crash leaves the new file with the old checksum
            self.update(checksums=known)
        write_atomically(self.path_to_write / name, data)
        self.update(checksums=known | {name: checksum(data)})

    def _read_document(self, name: str) -> bytes:
        return read_file(self.path / name, self._state.checksums.get(name))

    # -- metrics -----------------------------------------------------------------------------------------------------

    def append_metrics(self, first_step: int, arrays: Mapping[str, NDArray[np.float64]]) -> None:
        """Append one line for each step (arrays as in StepsDone, `time` included)."""
        self._append(metrics_lines.step_lines(first_step, arrays))

    def append_setting(self, changed: SettingChanged) -> None:
        """Append the line of a setting changed between two steps."""
        self._append(metrics_lines.setting_line(time.time(), changed))

    def _append(self, lines: bytes) -> None:
        path = self.path_to_write / METRICS
        MetricsFile(path).append(lines)
        self._unsynced.add(path)

    @property
    def metrics_file(self) -> MetricsFile:
        """metrics.jsonl, to be read as a whole or in part."""
        return MetricsFile(self.path / METRICS, self._state.metrics_size, self._state.durable_metrics_size)

    def metrics(self) -> tuple[NDArray[np.int64], dict[str, NDArray[np.float64]]]:
        """The training steps, ascending, and an array for each of their metrics."""
        return metrics_lines.columns(self.metrics_file.read().steps)

    def validation_metrics(self) -> dict[int, dict[str, float]]:
        """The metrics of each validation, by step."""
        return {line["step"]: metrics_lines.metrics_of(line) for line in self.metrics_file.validations()}

    def sampled_losses(self, num: int) -> list[float]:
        """At most `num` training losses, spread evenly from the first step to about the last."""
        sample = self.metrics_file.sample(num)
        return [loss for one in sample if (loss := one.get("train/loss")) is not None]

    def last_trained_step(self) -> int:
        """The newest step with metrics, which may be after the newest checkpoint."""
        return self.metrics_file.last_step()

    def settings_changed(self) -> list[SettingChanged]:
        """The settings changed during the run, in order."""
        return metrics_lines.settings_of(self.metrics_file.settings())

    # -- validations -------------------------------------------------------------------------------------------------

    def write_validation(self, done: ValidationDone) -> None:
        """Write the sentences to their file, then the metrics to metrics.jsonl, which publishes them.

        Sentences of at most `VALIDATIONS_KEPT` validations are kept, and those of the best checkpoint.
        """
        self._unsynced.write(step_path(self.path_to_write, VALIDATIONS, done.step), validation_bytes(done.sentences))
        self._append(metrics_lines.validation_line(done.step, time.time(), done.metrics, done.is_best))
        steps = self.validation_steps()
        for thinned in set(steps) - {*steps_to_keep(steps, VALIDATIONS_KEPT), self._state.best_step}:
            remove_step(self.path_to_write, VALIDATIONS, thinned)

    def validated_sentences(self, step: int) -> tuple[ValidatedSentence, ...]:
        """The sentences of the validation at this step."""
        return read_validation_file(self._path(VALIDATIONS, step))

    def validation_steps(self) -> list[int]:
        """The steps whose validated sentences are kept, ascending."""
        return steps_in(self.path, VALIDATIONS)

    # -- probes and snapshots ----------------------------------------------------------------------------------------

    def write_probe(self, probe: Probe) -> None:
        """Write a probe, replacing an earlier one of the same step."""
        path = step_path(self.path_to_write, PROBES, probe.step)
        # A checkpoint may have synced the earlier one: a power cut must not destroy both.
        write = write_atomically if exists(path) else self._unsynced.write
        write(path, probe_bytes(probe))

    def probe(self, step: int) -> Probe:
        """The probe at exactly this step."""
        return read_probe_file(self._path(PROBES, step))

    def has_probe(self, step: int) -> bool:
        """Whether there is a probe at exactly this step. Listing ten thousand takes as long as reading ten."""
        return exists(self._path(PROBES, step))

    def probe_steps(self) -> list[int]:
        """The steps with a probe, ascending."""
        return steps_in(self.path, PROBES)

    def write_snapshot(self, step: int, weights: Mapping[str, NDArray[Any]]) -> None:
        """Write a snapshot of the weights, thinning the snapshots so that they stay within `snapshot_budget_mb`."""
        data = tensor_bytes(weights, {"step": step})
        max_kept = int(self._training.snapshot_budget_mb * 1e6 // len(data))
        before = [known for known in self.snapshot_steps() if known != step]
        kept = steps_to_keep([*before, step], max_kept)
        for thinned in set(before) - set(kept):
            remove_step(self.path_to_write, SNAPSHOTS, thinned)
        if step in kept:
            self._unsynced.write(step_path(self.path_to_write, SNAPSHOTS, step), data)

    def read_snapshot(self, step: int) -> Weights:
        """The weights of the snapshot at exactly this step."""
        return read_tensors(self._path(SNAPSHOTS, step))[0]

    def snapshot_steps(self) -> list[int]:
        """The steps with a snapshot, ascending."""
        return steps_in(self.path, SNAPSHOTS)

    def kept_steps(self) -> list[int]:
        """The steps whose weights are kept, in a snapshot or a checkpoint, ascending."""
        return sorted({*self.snapshot_steps(), *self.checkpoint_steps()})

    def weights(self, step: int) -> Weights:
        """The weights kept at exactly this step: of its checkpoint, or if there is none, of its snapshot.

        Raises UserError if they are gone: the process that trains the run may have removed them since they were listed.
        """
        if step in self.checkpoint_steps():
            return read_checkpoint_weights(checkpoint_path(self.path, step))
        if step in self.snapshot_steps():
            return self.read_snapshot(step)
        advice = "If a process trains it, that has saved newer ones: try again."
        raise UserError(f"{self.path} no longer keeps the weights of step {step}.", advice)

    def mean_weights(self, steps: Sequence[int]) -> Weights:
        """The mean of the weights kept at these steps. Raises DamagedFile for one that cannot be read."""
        try:
            return mean_weights(map(self.weights, steps))
        except DamagedFile as error:
            if len(steps) == 1:
                raise
            advice = f"{error.advice} Or choose a single checkpoint (--checkpoint best or STEP in a terminal)."
            raise DamagedFile(error.sentence, advice) from None

    # -- checkpoints -------------------------------------------------------------------------------------------------

    def save_checkpoint(
        self,
        step: int,
        model: Mapping[str, NDArray[Any]],
        optimizer: Mapping[str, NDArray[Any]],
        state: Mapping[str, Any],
        best_value: float | None = None,
    ) -> None:
        """Write a checkpoint, then publish it in run.json: as the last, and as the best if `best_value` is given.

        Everything written earlier is synced first: a power cut damages nothing older than a checkpoint. Afterwards,
        checkpoints are removed except the best, the last, the averaged ones, and `keep_checkpoints` others.
        """
        self._unsynced.sync()
        content = Checkpoint(step=step, model=model, optimizer=optimizer, state=state)
        write_checkpoint(step_path(self.path_to_write, CHECKPOINTS, step), content)
        best: dict[str, Any] = {}
        if best_value is not None:
            best = {"best_step": step, "best_value": best_value, "best_metric": self._training.best_metric}
        self.update(last_step=step, metrics_size=self.metrics_file.size_without_last_line(), **best)
        self._prune_checkpoints()

    def checkpoint(self, step: int) -> Checkpoint:
        """The checkpoint at exactly this step."""
        if step not in self.checkpoint_steps():
            known = ", ".join(map(str, self.checkpoint_steps())) or "none yet"
            raise UserError(f"{self.path} has no checkpoint at step {step} (there are: {known}).")
        return read_checkpoint(checkpoint_path(self.path, step), step)

    def is_checkpoint_intact(self, step: int) -> bool:
        """Whether the checkpoint at this step can be read."""
        try:
            self.checkpoint(step)
        except DamagedFile:
            return False
        return True

    def checkpoint_steps(self) -> list[int]:
        """The steps with a complete checkpoint, ascending."""
        return complete_checkpoints(self.path)

    def checkpoint_step(self, which: str) -> int:
        """The step that "best" (before any validation: the last), "last" or a number stands for."""
        steps = self.snapshot_steps() if self._state.is_shared else self.checkpoint_steps()  # it has no checkpoints
        if not steps:
            raise UserError(
                f"{self.path} has no checkpoint.",
                "If it still learns, wait for the first; otherwise start a new run.",
            )
        if which == "last":
            return steps[-1]
        if which == "best":
            best = self._state.best_step
            return best if best in steps else steps[-1]
        if which.isdecimal() and (step := float(which)) in steps:  # int() refuses very many digits
            return int(step)
        known = ", ".join(map(str, steps))
        raise UserError(f"{self.path} has no checkpoint {which!r} (there are: best, last, {known}).")

    def _prune_checkpoints(self) -> None:
        steps = self.checkpoint_steps()
        needed = {self._state.best_step, *averaged_steps(steps, self._state.last_step, self._training)}
        others = [step for step in steps if step not in needed]
        for step in others[: max(0, len(others) - self._training.keep_checkpoints)]:
            remove_step(self.path_to_write, CHECKPOINTS, step)

    def _path(self, kind: str, step: int) -> Path:
        return step_path(self.path, kind, step)


@lru_cache(maxsize=64)
def _parse_config(text: str, name: str) -> RunConfig:
    """Parse config.yaml. Cached, as its text never changes, and parsing takes longer than all else in opening a run."""
    return config_from_document(read_written_yaml(text, name))
