"""Says what is saved of a training that ended early, and with which commands to go on."""

from __future__ import annotations

import json
import shlex
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.cli.named_run import runs_dir_of
from core.cli.open_run import DATASET_OPTION
from core.errors import UserError
from core.events import RunFinished
from core.resuming import resumable_steps
from core.run_files.file_names import CONFIG
from core.run_files.runs_dir import runs_in_group
from core.run_files.step_files import CHECKPOINTS, step_path
from core.run_folder import RunFolder
from core.settings.lower_rate import lower_rate
from core.settings.smaller_batch import SHORTEN_ADVICE, smaller_batch


def stopped_message(finished: RunFinished, why: str, arguments: Namespace) -> str:
    """The sentence that says at which step the run stopped, what is saved, and how to go on."""
    stopped = f"stopped at step {finished.step} ({why})"
    try:
        return f"{stopped}; {_saved_message(finished, arguments)}"
    except UserError as error:  # the folder or its drive was removed, or a document was altered
        return f"{stopped}; what was saved cannot be read. {error}"


def _saved_message(finished: RunFinished, arguments: Namespace) -> str:
    folder, run = RunFolder.open(finished.run), finished.run
    if steps := resumable_steps(folder):
        return f"saved: {step_path(run, CHECKPOINTS, steps[-1])}. {_continue_advice(folder, finished, arguments)}"
    if finished.reason == "diverged":
        command = _new_run_command(folder, arguments, dict([_lower_learning_rate(folder)]))
        return f"no checkpoint from before it diverged is kept in {run}. Start a new run with: {command}"
    return f"no checkpoint was saved before that in {run}, which can be deleted. Start a new run."


def remaining_seeds_note(seeds: Sequence[int], group: str, arguments: Namespace) -> str:
    """How to train the seeds without a run to resume: one by one, as the groups of two commands have no common mean.

    Empty if all have one, or if one cannot be read, which must not hide how the training ended.
    """
    runs_dir = runs_dir_of(arguments)
    try:
        runs = [RunFolder.open(path) for path in runs_in_group(group, runs_dir)]
        started = {run.config().seed for run in runs if run.checkpoint_steps()}
    except UserError:
        return ""
    remaining = [seed for seed in seeds if seed not in started]
    if not remaining:
        return ""
    options = [*_folder_options(arguments), "--runs-dir", str(runs_dir)]
    command = _command([arguments.config, *_repeated("--set", arguments.set), *options], {"seed": remaining[0]})
    names = f"seed{'s' * (len(remaining) > 1)} {', '.join(map(str, remaining))}"
    return f" (still to train: {names}, each by itself: {command}; `runs compare` gives the mean of all)"


def _continue_advice(folder: RunFolder, finished: RunFinished, arguments: Namespace) -> str:
    """The command to go on with, changed so that the run does not end in the same way again."""
    if finished.reason == "memory":  # the batch size cannot change within a run
        if not (smaller := smaller_batch(folder.latest_config())):
            return f"The longest sentence is too long. Start a new run: {SHORTEN_ADVICE}."
        return f"Start a run with smaller batches: {_new_run_command(folder, arguments, smaller)}"
    # Only a stopped run saves a checkpoint at its end; otherwise, settings changed since the last checkpoint are lost.
    changes = {} if finished.reason == "stopped" else _settings_changed_since(folder, resumable_steps(folder)[-1])
    if finished.reason == "diverged":
        changes |= [_lower_learning_rate(folder)]
    return f"Continue with: {_command(['--resume', str(folder.path), *_unstored_options(arguments)], changes)}"


def _new_run_command(folder: RunFolder, arguments: Namespace, changes: Mapping[str, Any]) -> str:
    """The command that begins a new run with the present settings, except these changes."""
    runs_dir_option = ["--runs-dir", str(arguments.runs_dir)] if arguments.runs_dir else []
    words = [str(folder.path / CONFIG), *_unstored_options(arguments), *runs_dir_option]
    return _command(words, {**_settings_changed_since(folder, 0), **changes})


def _unstored_options(arguments: Namespace) -> list[str]:
    """The options that a run does not store: the folders of plugins and event files, a resumed run's moved corpus."""
    given = [text for text in arguments.set if text.startswith(DATASET_OPTION)] if arguments.resume is not None else []
    return [*_folder_options(arguments), *_repeated("--set", given)]


def _folder_options(arguments: Namespace) -> list[str]:
    events = [arguments.tensorboard] if arguments.tensorboard is not None else []
    return [*_repeated("--plugins-dir", arguments.plugins_dir), *_repeated("--tensorboard", events)]


def _lower_learning_rate(folder: RunFolder) -> tuple[str, float]:
    return lower_rate(folder.latest_config().training)


def _settings_changed_since(folder: RunFolder, step: int) -> dict[str, Any]:
    return {change.key: change.value for change in folder.settings_changed() if change.step >= step}


def _command(arguments: Sequence[str], changes: Mapping[str, Any]) -> str:
    """The command line, with values as a person types them: 1 for 1.0."""
    settings = [f"{key}={json.dumps(value).removesuffix('.0')}" for key, value in changes.items()]
    return shlex.join(["headlight", "train", *arguments, *_repeated("--set", settings)])


def _repeated(option: str, values: Iterable[object]) -> list[str]:
    return [word for value in values for word in (option, str(value))]
